/** The pages that are used most; they are not part of the first load. */
export const usualPages = {
  tenants: () => import('./features/tenants/tenants-page.tsx'),
  tenant: () => import('./features/tenant/tenant-page.tsx'),
  overview: () => import('./features/tenant/overview/overview-tab.tsx'),
  deployments: () => import('./features/tenant/deployments/deployments-tab.tsx'),
  deployment: () => import('./features/tenant/deployments/deployment-page.tsx'),
  logs: () => import('./features/tenant/logs-tab.tsx'),
};

/** Loads them one by one, so that they open at once, also while the manager does not answer. */
export async function loadUsualPages(): Promise<void> {
  // What could not be loaded now is loaded when it is opened.
  for (const load of Object.values(usualPages)) await load().catch(() => undefined);
}
