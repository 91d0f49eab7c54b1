import { plainText } from '../../components/log/plain-text.ts';
import type { Theme } from './colours.ts';
import { themeText } from './messages.ts';
import styles from './theme.module.css';

/** From which website a theme was suggested. */
export function Origin({ theme: { source_website: site, ai_generated } }: { theme: Theme }) {
  if (site === null) return null;
  const name = siteName(site);
  return <p className={styles.fine}>{ai_generated ? themeText.origin(name) : themeText.originChanged(name)}</p>;
}

/** A website's address without scheme and trailing slash. */
export const siteName = (address: string): string =>
  plainText(address)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '');
