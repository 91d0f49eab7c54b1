import { Link } from 'react-router';
import parts from '../../components/components.module.css';
import { Badge } from '../../components/data/badge.tsx';
import { Time } from '../../components/data/time.tsx';
import { proxyText as words } from './messages.ts';
import { Output } from './output.tsx';
import type { ProxyState } from './queries.ts';
import styles from './sites.module.css';

const tones = { changed: 'good', unchanged: 'plain', failed: 'bad' } as const;

/** What came of the last change at the proxy, in its own words. */
export const LastChange = ({ change }: { change: ProxyState['last_change'] }) => (
  <section className={parts.card}>
    <div className={styles.cardHead}>
      <h3 className={styles.cardTitle}>{words.lastChange}</h3>
      {change && <Badge tone={tones[change.outcome]}>{words.outcomes[change.outcome]}</Badge>}
    </div>
    {!change && <p className={styles.fine}>{words.noChange}</p>}
    {change && (
      <>
        <p className={styles.fine}>
          <Link to={`/system/proxy/${change.tenant_id}`}>{change.slug}</Link>, <Time at={change.at} />
        </p>
        <Output label={words.output} text={change.output || words.noOutput} />
      </>
    )}
  </section>
);
