import './base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Toast } from '@base-ui/react/toast';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { queryClient } from './api/queries.ts';
import { Toasts, toasts } from './parts/toasts.tsx';
import { ChangePassword } from './session/change-password.tsx';
import { RequireSession } from './session/require-session.tsx';
import { SessionProvider } from './session/session.tsx';
import { SignIn } from './session/sign-in.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { applyTheme } from './shell/theme.ts';
import { DeploymentPage } from './tenant/deployment-page.tsx';
import { DeploymentsTab } from './tenant/deployments-tab.tsx';
import { LogsTab } from './tenant/logs-tab.tsx';
import { OverviewTab } from './tenant/overview-tab.tsx';
import { TenantPage } from './tenant/tenant-page.tsx';
import { TenantsPage } from './tenants/tenants-page.tsx';

applyTheme();

const router = createBrowserRouter([
  { path: '/sign-in', element: <SignIn /> },
  {
    element: <RequireSession />,
    children: [
      { path: '/password', element: <ChangePassword /> },
      {
        element: <Shell />,
        children: [
          { path: '/', element: <TenantsPage /> },
          {
            path: '/tenants/:id',
            element: <TenantPage />,
            children: [
              { index: true, element: <OverviewTab /> },
              { path: 'deployments', element: <DeploymentsTab /> },
              { path: 'deployments/:deploymentId', element: <DeploymentPage /> },
              { path: 'logs', element: <LogsTab /> },
            ],
          },
          { path: '*', element: <NotFound /> },
        ],
      },
    ],
  },
]);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <Toast.Provider toastManager={toasts}>
            <SessionProvider>
              <RouterProvider router={router} />
            </SessionProvider>
            <Toasts />
          </Toast.Provider>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
