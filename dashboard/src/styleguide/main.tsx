import '../theme/styles.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { queryClient } from '../api/queries.ts';
import { StyleGuide } from './style-guide.tsx';

document.documentElement.dataset.theme = new URLSearchParams(location.search).get('theme') ?? 'light';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={['/tenants']}>
        <StyleGuide />
      </MemoryRouter>
    </QueryClientProvider>,
  );
