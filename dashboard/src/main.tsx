import './base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Toast } from '@base-ui/react/toast';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { queryClient } from './api/queries.ts';
import { Toasts, toasts } from './parts/toasts.tsx';
import { routes } from './routes.tsx';
import { SessionProvider } from './session/session.tsx';
import { reloadWhenLost, stylesLoaded } from './shell/styles-loaded.ts';
import { applyTheme } from './shell/theme.ts';
import { text } from './text/en.ts';

applyTheme();

const router = createBrowserRouter(routes);

reloadWhenLost();
const root = document.getElementById('root');
const styles = await stylesLoaded();
if (root && styles === 'failed') root.textContent = text.stylesMissing;
if (root && styles === 'loaded') {
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
