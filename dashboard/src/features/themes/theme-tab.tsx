import { useQuery } from '@tanstack/react-query';
import type { FullTenant } from '../../api/client.ts';
import parts from '../../components/components.module.css';
import { Facts } from '../../components/data/facts.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { useTenant } from '../tenant/tenant-page.tsx';
import { colourFields, coloursOfTheme, type Theme } from './colours.ts';
import { themeText } from './messages.ts';
import { Origin } from './origin.tsx';
import { ServedPicture, useServedPicture } from './picture.tsx';
import { themeQuery } from './queries.ts';
import { mainLogos, otherLogos } from './save-theme.ts';
import { Swatch } from './swatch.tsx';
import styles from './theme.module.css';
import { ThemeEditor } from './theme-editor.tsx';
import { ThemeState } from './theme-state.tsx';
import { SitePreview } from './website/site-preview.tsx';
import { WebsitePart } from './website/website-part.tsx';

/** A tenant's theme. */
export function ThemeTab() {
  const tenant = useTenant();
  const { data: theme, error } = useQuery(themeQuery(tenant.id));
  const operator = useHasRole('operator');
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

/** The theme, read-only. */
function ThemeFacts({ tenant, theme }: { tenant: FullTenant; theme: Theme }) {
  const logo = useServedPicture(theme.logo_full);
  const icon = useServedPicture(theme.logo_icon);
  const colours = colourFields.map((field) => [themeText.fields[field][0], <Swatch key={field} hex={theme[field]} />]);
  const shown = [...mainLogos, ...otherLogos.filter((field) => theme[field])];
  const logos = shown.map((field) => {
    const [name = ''] = themeText.logoFields[field];
    const alt = themeText.logoOf(name);
    const picture = <ServedPicture key={field} place={theme[field]} alt={alt} className={styles.shownLogo} />;
    return [name, theme[field] ? picture : themeText.noLogoShort];
  });
  return (
    <>
      <div className={styles.editor}>
        <section className={parts.card}>
          <h2>{themeText.colours}</h2>
          <Facts facts={Object.fromEntries([...colours, ...logos])} />
          <Origin theme={theme} />
        </section>
        <SitePreview name={tenant.name} colours={coloursOfTheme(theme)} logo={logo} icon={icon} />
      </div>
      <WebsitePart tenant={tenant} saved={coloursOfTheme(theme)} colours={coloursOfTheme(theme)} />
    </>
  );
}
