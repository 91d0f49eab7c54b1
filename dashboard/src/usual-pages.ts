/** The pages that are used most; they are not part of the first load. */
export const usualPages = {
  tenants: () => import('./features/tenants/tenants-page.tsx'),
  tenant: () => import('./features/tenant/tenant-page.tsx'),
  overview: () => import('./features/tenant/overview/overview-tab.tsx'),
  deployments: () => import('./features/tenant/deployments/deployments-tab.tsx'),
  deployment: () => import('./features/tenant/deployments/deployment-page.tsx'),
  logs: () => import('./features/tenant/logs-tab.tsx'),
};

let loadingAhead = false;

/** Whether pages are being loaded before they are opened: a failure then concerns nothing that the user sees. */
export const isLoadingAhead = (): boolean => loadingAhead;

/** Loads them one by one, so that they open at once, also while the manager does not answer. */
export async function loadUsualPages(): Promise<void> {
  loadingAhead = true;
  // A page that can't be loaded now is loaded with the next call, or when it is opened.
  for (const load of Object.values(usualPages)) await load().catch(() => undefined);
  loadingAhead = false;
}
