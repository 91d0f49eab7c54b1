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
import { loadLanguageData } from './lib/figures.ts';
import { reloadOnce, reloadWhenMissing, sayNotLoaded, stylesLoaded } from './shell/styles-loaded.ts';
import { applyAppearance } from './theme/appearance.ts';

applyAppearance();

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

async function start(root: HTMLElement): Promise<void> {
  const styles = await stylesLoaded();
  if (styles === 'failed') sayNotLoaded(root);
  if (styles !== 'loaded') return;
  // Steps of a few milliseconds, which a phone takes far longer for: the browser reacts between them.
  await nextTask();
  // Not before the style sheet: the router loads the first page.
  const pages = await import('./routes.tsx').catch(() => undefined);
  if (!pages) {
    if (!(await reloadOnce())) sayNotLoaded(root);
    return;
  }
  reloadWhenMissing();
  await nextTask();
  loadLanguageData();
  await nextTask();
  const router = createBrowserRouter(pages.routes);
  await nextTask();
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
