import '../theme/styles.ts';
import { Toast } from '@base-ui/react/toast';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { queryClient } from '../api/queries.ts';
import { Dialogs } from '../components/feedback/dialogs.tsx';
import { Toasts, toasts } from '../components/feedback/toasts.tsx';
import { StyleGuide } from './style-guide.tsx';

document.documentElement.dataset.theme = new URLSearchParams(location.search).get('theme') ?? 'light';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={['/tenants']}>
        <Toast.Provider toastManager={toasts}>
          <StyleGuide />
          <Dialogs />
          <Toasts />
        </Toast.Provider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
