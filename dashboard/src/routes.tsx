import type { RouteObject } from 'react-router';
import { Waiting } from './parts/waiting.tsx';
import { ChangePassword } from './session/change-password.tsx';
import { RequireRole } from './session/require-role.tsx';
import { RequireSession } from './session/require-session.tsx';
import { SignIn } from './session/sign-in.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { Trouble } from './shell/trouble.tsx';
import { DeploymentPage } from './tenant/deployment-page.tsx';
import { DeploymentsTab } from './tenant/deployments-tab.tsx';
import { LogsTab } from './tenant/logs-tab.tsx';
import { TenantPage } from './tenant/tenant-page.tsx';
import { TenantsPage } from './tenants/tenants-page.tsx';

/** The sections of a tenant. What a first visit does not need is loaded when it is opened. */
const tenantRoutes: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./overview/overview-tab.tsx')).OverviewTab }) },
  { path: 'deployments', element: <DeploymentsTab /> },
  { path: 'deployments/:deploymentId', element: <DeploymentPage /> },
  {
    path: 'configuration',
    lazy: async () => ({ Component: (await import('./configuration/configuration-tab.tsx')).ConfigurationTab }),
  },
  { path: 'logs', element: <LogsTab /> },
  { path: 'lists', lazy: async () => ({ Component: (await import('./lists/lists-tab.tsx')).ListsTab }) },
  { path: 'lists/:jobId/:step?', lazy: async () => ({ Component: (await import('./lists/list-page.tsx')).ListPage }) },
  { path: 'theme', lazy: async () => ({ Component: (await import('./theme/theme-tab.tsx')).ThemeTab }) },
  {
    path: 'backups/:backupId?',
    lazy: async () => ({ Component: (await import('./backups/backups-tab.tsx')).BackupsTab }),
  },
  {
    element: <RequireRole needs="operator" />,
    children: [
      { path: 'upgrade', lazy: async () => ({ Component: (await import('./upgrade/upgrade-tab.tsx')).UpgradeTab }) },
    ],
  },
];

/** The sections of all that is about the manager itself. */
const systemRoutes: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./system/system-page.tsx')).SystemIndex }) },
  {
    path: 'overview',
    lazy: async () => ({ Component: (await import('./system/overview-section.tsx')).OverviewSection }),
  },
  { path: 'ports', lazy: async () => ({ Component: (await import('./ports/ports-section.tsx')).PortsSection }) },
  { path: 'proxy', lazy: async () => ({ Component: (await import('./proxy/proxy-section.tsx')).ProxySection }) },
  { path: 'proxy/:tenantId', lazy: async () => ({ Component: (await import('./proxy/site-page.tsx')).SitePage }) },
  { path: 'settings', lazy: async () => ({ Component: (await import('./settings/settings-page.tsx')).SettingsPage }) },
  { path: 'users', lazy: async () => ({ Component: (await import('./users/users-page.tsx')).UsersPage }) },
];

/** The pages within the frame. */
const pages: RouteObject[] = [
  { path: '/', element: <TenantsPage /> },
  { path: '/tenants/:id', element: <TenantPage />, children: tenantRoutes },
  { path: '/upgrades', lazy: async () => ({ Component: (await import('./upgrades/upgrades-page.tsx')).UpgradesPage }) },
  {
    path: '/upgrades/new',
    lazy: async () => ({ Component: (await import('./upgrades/new-upgrade-page.tsx')).NewUpgradePage }),
  },
  {
    path: '/upgrades/:upgradeId',
    lazy: async () => ({ Component: (await import('./upgrades/upgrade-page.tsx')).UpgradePage }),
  },
  {
    element: <RequireRole needs="operator" />,
    children: [
      { path: '/journal', lazy: async () => ({ Component: (await import('./journal/journal-page.tsx')).JournalPage }) },
    ],
  },
  {
    path: '/system',
    lazy: async () => ({ Component: (await import('./system/system-page.tsx')).SystemPage }),
    children: systemRoutes,
  },
  {
    path: '/account/sessions',
    lazy: async () => ({ Component: (await import('./sessions/sessions-page.tsx')).SessionsPage }),
  },
  {
    path: '/account/tokens',
    lazy: async () => ({ Component: (await import('./tokens/tokens-page.tsx')).TokensPage }),
  },
  { path: '*', element: <NotFound /> },
];

/** As long as the first page’s code is not there. */
const HydrateFallback = () => <Waiting error={undefined} />;

export const routes: RouteObject[] = [
  { path: '/sign-in', element: <SignIn /> },
  {
    element: <RequireSession />,
    HydrateFallback,
    children: [
      { path: '/password', element: <ChangePassword /> },
      { element: <Shell />, children: [{ errorElement: <Trouble />, children: pages }] },
    ],
  },
];
