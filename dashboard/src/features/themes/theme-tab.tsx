import { useQuery } from '@tanstack/react-query';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useMay } from '../accounts/session/session.tsx';
import { useTenant } from '../tenant/tenant-page.tsx';
import { themeText } from './messages.ts';
import { themeQuery } from './queries.ts';
import { ThemeEditor } from './theme-editor.tsx';
import { ThemeFacts } from './theme-facts.tsx';
import { ThemeState } from './theme-state.tsx';

/** How a tenant's own pages look. */
export function ThemeTab() {
  const tenant = useTenant();
  const { data: theme, error } = useQuery(themeQuery(tenant.id));
  const operator = useMay('operator');
  if (!theme) return <Waiting error={error} />;
  return (
    <>
      <PagePart title={themeText.title} hint={operator ? themeText.hint : themeText.hintOfViewer} />
      <ThemeState tenant={tenant} />
      {operator ? (
        <ThemeEditor key={tenant.id} tenant={tenant} theme={theme} />
      ) : (
        <ThemeFacts tenant={tenant} theme={theme} />
      )}
    </>
  );
}
