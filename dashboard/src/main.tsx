import './theme/styles.ts';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Toast } from '@base-ui/react/toast';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, startTransition } from 'react';
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
  // A task of its own, after the script's: a phone takes a while for each.
  await new Promise((resolve) => setTimeout(resolve));
  // Not before the style sheet: the router loads the first page.
  const router = createBrowserRouter(routes);
  // Rendered in parts, between which the browser reacts.
  startTransition(() =>
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
    ),
  );
}

const root = document.getElementById('root');
if (root) void start(root);
