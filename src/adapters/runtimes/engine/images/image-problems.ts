import { type CauseTexts, type ExplainedError, explain } from '../../../../lib/errors.ts';

/** Why an image could not be had. Parameters: `image` as it was named, `registry`, its host. */
export type ImageProblem =
  | { code: 'image_not_found' | 'image_not_allowed' | 'image_own'; params: { image: string; registry: string } }
  | { code: 'image_platform_missing'; params: { image: string; registry: string; platform: string } }
  | {
      code:
        | 'registry_sign_in_required'
        | 'registry_credentials_refused'
        | 'registry_unresolved'
        | 'registry_certificate'
        | 'registry_plain_http'
        | 'registry_unreachable'
        | 'registry_rate_limited';
      params: { image: string; registry: string };
    }
  | { code: 'registry_rate_limited_until'; params: { image: string; registry: string; until: string } };

/** In English, for the API and its logs. */
export const texts: Record<ImageProblem['code'], CauseTexts> = {
  image_not_found: {
    title: 'The image {image} does not exist at {registry}',
    remedy: 'Correct its name or tag',
  },
  image_not_allowed: {
    title: 'The image {image} is private, and this tenant may not use the credentials for {registry}',
    remedy: 'Let an administrator add the tenant or its repository to the registry',
  },
  image_own: {
    title: 'The Dockerfile names {image}, an image that Tenantry built',
    remedy: 'Use an image of your own as its base',
  },
  image_platform_missing: {
    title: 'The image {image} does not exist for this host’s processor ({platform})',
    remedy: 'Use an image that is built for it',
  },
  registry_sign_in_required: {
    title: 'The image {image} does not exist at {registry}, or it is private',
    remedy: 'Correct its name, or add credentials for the registry in the system’s settings',
  },
  registry_credentials_refused: {
    title: '{registry} refuses the credentials for the image {image}',
    remedy: 'Correct the registry’s user name and password in the system’s settings',
  },
  registry_rate_limited: {
    title: '{registry} limits how many images are pulled, and refuses {image}; it does not say until when',
    remedy: 'Try again later, or add credentials for the registry in the system’s settings',
  },
  registry_rate_limited_until: {
    title: '{registry} limits how many images are pulled, and refuses {image} until {until} at the latest',
    remedy: 'Try again then, or add credentials for the registry in the system’s settings',
  },
  registry_unresolved: {
    title: 'The engine’s host cannot resolve the name {registry} to pull the image {image}',
    remedy: 'Check the host’s DNS settings',
  },
  registry_certificate: {
    title: 'The engine does not trust the certificate of {registry}, which has the image {image}',
    remedy: 'Put its authority into /etc/docker/certs.d/{registry}/ca.crt on the engine’s host',
  },
  registry_plain_http: {
    title: '{registry}, which has the image {image}, does not speak HTTPS',
    remedy: 'Give it a certificate, or add it to insecure-registries in the engine’s daemon.json',
  },
  registry_unreachable: {
    title: 'The engine cannot reach {registry} to pull the image {image}',
    remedy: 'Check the engine host’s network, firewall and proxy settings, then try again',
  },
};

const networkProblems = [
  ['registry_unresolved', /no such host|server misbehaving|name resolution|\blookup \S+(?: on \S+)?:/i],
  ['registry_plain_http', /server gave HTTP response to HTTPS client|first record does not look like a TLS handshake/i],
  ['registry_certificate', /x509:|certificate|tls: /i],
] as const;
const isLimited = /toomanyrequests|too many requests|rate limit|\b429\b/i;
const isRefused =
  /unauthorized|denied|authentication required|basic auth credentials|insufficient_scope|incorrect username|no active sessions?|\b40[13]\b/i;
const isMissing = /manifest unknown|name unknown|not found|does not exist|\b404\b/i;
const isOtherPlatform =
  /no matching manifest for (\S+)|no match for platform|does not (?:match|provide) the specified platform/i;
const isAway =
  /no answer within|timeout|timed out|deadline exceeded|connection (?:refused|reset)|unreachable|no route|EOF|\b50[0234]\b|dial tcp|i\/o|Client\.Timeout|proxyconnect/i;

/** What an engine's words about an image mean; undefined: nothing that is known. A limit's end is asked for separately. */
export function imageProblem(
  words: string,
  { image, registry, platform, signedIn }: { image: string; registry: string; platform: string; signedIn: boolean },
): ImageProblem | undefined {
  const params = { image, registry };
  if (isLimited.test(words)) return { code: 'registry_rate_limited', params };
  const other = isOtherPlatform.exec(words);
  if (other) return { code: 'image_platform_missing', params: { ...params, platform: other[1] ?? platform } };
  for (const [code, pattern] of networkProblems) if (pattern.test(words)) return { code, params };
  // Registries deny what does not exist, too: only an answer without a denial says that.
  if (isRefused.test(words))
    return { code: signedIn ? 'registry_credentials_refused' : 'registry_sign_in_required', params };
  if (isMissing.test(words)) return { code: 'image_not_found', params };
  return isAway.test(words) ? { code: 'registry_unreachable', params } : undefined;
}

/** The error of an image that could not be had, with the engine's words as its detail. */
export const imageError = (problem: ImageProblem, cause: unknown): ExplainedError =>
  explain(problem, texts[problem.code], cause);
