import './theme/styles.ts';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Toast } from '@base-ui/react/toast';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { queryClient } from './api/queries.ts';
import { Toasts, toasts } from './components/feedback/toasts.tsx';
import { SessionProvider } from './features/accounts/session/session.tsx';
import { routes } from './routes.tsx';
import { reloadWhenMissing, sayNotLoaded, stylesLoaded } from './shell/styles-loaded.ts';
import { applyAppearance } from './theme/appearance.ts';

applyAppearance();
reloadWhenMissing();

async function start(root: HTMLElement): Promise<void> {
  const styles = await stylesLoaded();
  if (styles === 'failed') sayNotLoaded(root);
  if (styles !== 'loaded') return;
  // Not before: the router loads the first page's code, with style sheets of its own.
  const router = createBrowserRouter(routes);
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

const root = document.getElementById('root');
if (root) void start(root);
