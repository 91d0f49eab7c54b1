import type { RouteObject } from 'react-router';
import { sessionProof } from './api/client.ts';
import { queryClient, tenantsQuery } from './api/queries.ts';
import { Starting } from './components/feedback/starting.tsx';
import { RequireRole, RequireSession } from './features/accounts/session/route-guards.tsx';
import { SignIn } from './features/accounts/session/sign-in.tsx';
import { HomePage } from './features/home/home-page.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { usualPages } from './usual-pages.ts';

/** The sections of a tenant. Pages are loaded on first use. */
const tenantRoutes: RouteObject[] = [
  {
    index: true,
    lazy: async () => ({ Component: (await usualPages.overview()).OverviewTab }),
  },
  { path: 'deployments', lazy: async () => ({ Component: (await usualPages.deployments()).DeploymentsTab }) },
  {
    path: 'deployments/:deploymentId',
    lazy: async () => ({ Component: (await usualPages.deployment()).DeploymentPage }),
  },
  {
    path: 'configuration',
    lazy: async () => ({
      Component: (await import('./features/configuration/configuration-tab.tsx')).ConfigurationTab,
    }),
  },
  { path: 'logs', lazy: async () => ({ Component: (await usualPages.logs()).LogsTab }) },
  {
    path: 'metrics',
    lazy: async () => ({ Component: (await import('./features/history/metrics-tab.tsx')).MetricsTab }),
  },
  {
    path: 'timeline',
    lazy: async () => ({ Component: (await import('./features/timeline/timeline.tsx')).TimelineTab }),
  },
  { path: 'lists', lazy: async () => ({ Component: (await import('./features/lists/lists-tab.tsx')).ListsTab }) },
  {
    path: 'lists/:jobId/:step?',
    lazy: async () => ({ Component: (await import('./features/lists/list-page.tsx')).ListPage }),
  },
  { path: 'theme', lazy: async () => ({ Component: (await import('./features/themes/theme-tab.tsx')).ThemeTab }) },
  {
    path: 'backups/:backupId?',
    lazy: async () => ({ Component: (await import('./features/backups/backups-tab.tsx')).BackupsTab }),
  },
  {
    element: <RequireRole needs="operator" />,
    children: [
      {
        path: 'upgrade',
        lazy: async () => ({ Component: (await import('./features/upgrades/single/upgrade-tab.tsx')).UpgradeTab }),
      },
    ],
  },
];

/** The sections of the system pages. */
const systemRoutes: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./features/system/system-page.tsx')).SystemIndex }) },
  {
    path: 'overview',
    lazy: async () => ({ Component: (await import('./features/system/overview-section.tsx')).OverviewSection }),
  },
  {
    path: 'ports',
    lazy: async () => ({ Component: (await import('./features/system/ports/ports-section.tsx')).PortsSection }),
  },
  {
    path: 'nodes',
    lazy: async () => ({ Component: (await import('./features/system/nodes/nodes-section.tsx')).NodesSection }),
  },
  {
    path: 'metrics',
    lazy: async () => ({ Component: (await import('./features/history/metrics-section.tsx')).MetricsSection }),
  },
  {
    path: 'proxy',
    lazy: async () => ({ Component: (await import('./features/sites/sites-section.tsx')).ProxySection }),
  },
  {
    path: 'proxy/:tenantId',
    lazy: async () => ({ Component: (await import('./features/sites/site-page.tsx')).SitePage }),
  },
  {
    path: 'maintenance',
    lazy: async () => ({
      Component: (await import('./features/incidents/maintenance/maintenance-section.tsx')).MaintenanceSection,
    }),
  },
  {
    path: 'settings',
    lazy: async () => ({ Component: (await import('./features/settings/settings-page.tsx')).SettingsPage }),
  },
  {
    path: 'check',
    lazy: async () => ({
      Component: (await import('./features/system/preflight/preflight-section.tsx')).PreflightSection,
    }),
  },
  {
    path: 'registries',
    lazy: async () => ({
      Component: (await import('./features/system/registries/registries-section.tsx')).RegistriesSection,
    }),
  },
  {
    path: 'notifications/channels',
    lazy: async () => ({
      Component: (await import('./features/notifications/channels/channels-section.tsx')).ChannelsSection,
    }),
  },
  {
    path: 'notifications/rules',
    lazy: async () => ({
      Component: (await import('./features/notifications/rules/rules-section.tsx')).RulesSection,
    }),
  },
  {
    path: 'users',
    lazy: async () => ({ Component: (await import('./features/accounts/users/users-page.tsx')).UsersPage }),
  },
];

/** The pages within the layout. */
const pages: RouteObject[] = [
  { path: '/', element: <HomePage /> },
  {
    path: '/tenants',
    lazy: async () => {
      // Asked for together with the page's code and the user, instead of after them.
      if (sessionProof.get()) void queryClient.prefetchQuery(tenantsQuery);
      return { Component: (await usualPages.tenants()).TenantsPage };
    },
  },
  {
    path: '/tenants/:id',
    lazy: async () => ({ Component: (await usualPages.tenant()).TenantPage }),
    children: tenantRoutes,
  },
  {
    path: '/upgrades',
    lazy: async () => ({ Component: (await import('./features/upgrades/fleet/upgrades-page.tsx')).UpgradesPage }),
  },
  {
    path: '/upgrades/new',
    lazy: async () => ({ Component: (await import('./features/upgrades/fleet/new-upgrade-page.tsx')).NewUpgradePage }),
  },
  {
    path: '/upgrades/:upgradeId',
    lazy: async () => ({ Component: (await import('./features/upgrades/fleet/upgrade-page.tsx')).UpgradePage }),
  },
  {
    path: '/incidents',
    lazy: async () => ({ Component: (await import('./features/incidents/incidents-page.tsx')).IncidentsPage }),
  },
  {
    path: '/incidents/:incidentId',
    lazy: async () => ({ Component: (await import('./features/incidents/incident-page.tsx')).IncidentPage }),
  },
  {
    path: '/timeline',
    lazy: async () => ({ Component: (await import('./features/timeline/timeline.tsx')).TimelinePage }),
  },
  {
    element: <RequireRole needs="operator" />,
    children: [
      {
        path: '/journal',
        lazy: async () => ({ Component: (await import('./features/audit-log/audit-log-page.tsx')).AuditLogPage }),
      },
    ],
  },
  {
    path: '/system',
    lazy: async () => ({ Component: (await import('./features/system/system-page.tsx')).SystemPage }),
    children: systemRoutes,
  },
  {
    path: '/reports/availability/:month',
    lazy: async () => ({ Component: (await import('./features/history/report-page.tsx')).ReportPage }),
  },
  {
    path: '/inbox',
    lazy: async () => ({ Component: (await import('./features/notifications/inbox/inbox-page.tsx')).InboxPage }),
  },
  {
    path: '/account/sessions',
    lazy: async () => ({ Component: (await import('./features/accounts/sessions/sessions-page.tsx')).SessionsPage }),
  },
  {
    path: '/account/preferences',
    lazy: async () => ({
      Component: (await import('./features/accounts/preferences/preferences-page.tsx')).PreferencesPage,
    }),
  },
  {
    path: '/account/tokens',
    lazy: async () => ({ Component: (await import('./features/accounts/tokens/tokens-page.tsx')).TokensPage }),
  },
  { path: '*', element: <NotFound /> },
];

export const routes: RouteObject[] = [
  { path: '/sign-in', element: <SignIn /> },
  {
    element: <RequireSession />,
    // Until the first page’s script is loaded.
    HydrateFallback: Starting,
    children: [
      {
        path: '/password',
        lazy: async () => ({
          Component: (await import('./features/accounts/session/change-password.tsx')).ChangePassword,
        }),
      },
      {
        element: <Shell />,
        // For errors of the layout itself; those of a page leave the layout in place.
        errorElement: <ErrorBoundary />,
        children: [{ errorElement: <ErrorBoundary />, children: pages }],
      },
    ],
  },
];
