/** The parts of the operations guide by the pages that they explain; the first match counts. */
export const helpLinks: readonly { page: RegExp; anchor: string }[] = [
  { page: /^\/tenants\/[^/]+\/backups/, anchor: 'back-up' },
  { page: /^\/tenants\/[^/]+\/lists/, anchor: 'load-contact-lists' },
  { page: /^\/tenants\/[^/]+\/theme/, anchor: 'create-themes-from-a-website' },
  { page: /^\/tenants\/[^/]+\/logs/, anchor: 'read-the-logs-of-tenants' },
  { page: /^\/tenants\/[^/]+\/upgrade/, anchor: 'upgrade-a-tenant' },
  { page: /^\/tenants\/[^/]+\/deployments/, anchor: 'when-something-is-wrong' },
  { page: /^\/tenants\/[^/]+\/configuration/, anchor: 'configure-a-tenant' },
  { page: /^\/(?:tenants\/[^/]+\/metrics|system\/metrics|reports)/, anchor: 'metrics-and-availability' },
  { page: /^\/(?:tenants\/[^/]+\/)?timeline/, anchor: 'see-what-changed' },
  { page: /^\/tenants/, anchor: 'start-stop-and-restart-tenants' },
  { page: /^\/upgrades/, anchor: 'upgrade-many-tenants' },
  { page: /^\/journal/, anchor: 'read-the-audit-log' },
  { page: /^\/(?:inbox|system\/notifications|account\/preferences)/, anchor: 'be-notified' },
  { page: /^\/system\/proxy/, anchor: 'serve-the-tenants-host-names' },
  { page: /^\/system\/nodes/, anchor: 'runtimes' },
  { page: /^\/system\/check/, anchor: 'check-the-host' },
  { page: /^\/system\/settings/, anchor: 'change-the-settings' },
  { page: /^\/(?:system\/users|account|password|sign-in)/, anchor: 'sign-in' },
  { page: /^\/(?:$|incidents|system)/, anchor: 'check-that-everything-is-well' },
];

/** The address of the guide's part about a page; of an unknown one, the guide. */
export const helpOf = (pathname: string): string =>
  `/help/#${helpLinks.find(({ page }) => page.test(pathname))?.anchor ?? ''}`;
