/** What a caller showed: an access or API token, or the secret of the dashboard's cookie, which is accepted only from a cookie. */
export interface Credential {
  kind: 'token' | 'cookie';
  value: string;
}
