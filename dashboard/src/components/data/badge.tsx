import type { DeploymentSummary, Tenant } from '../../api/client.ts';
import { text } from '../../lib/messages.ts';
import styles from '../components.module.css';

type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'busy';
/** A state as a word with a tone. */
export const Badge = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className={`${styles.badge} ${tone === 'plain' ? '' : styles[tone]}`}>{children}</span>
);

/** A state as a dot and a word, for lists: what is normal is muted. */
const State = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className={styles.state} data-tone={tone}>
    {children}
  </span>
);

const ofStatus = { pending: 'plain', running: 'good', stopped: 'plain', error: 'bad' } as const;
export const StatusBadge = ({ status }: { status: Tenant['status'] }) => (
  <State tone={ofStatus[status]}>{text.status[status]}</State>
);

const ofHealth = { unknown: 'plain', healthy: 'good', degraded: 'warn', unhealthy: 'bad' } as const;
/** A tenant's health; a stopped tenant has none. */
export const HealthBadge = ({ tenant }: { tenant: Pick<Tenant, 'status' | 'health_status'> }) =>
  tenant.status === 'stopped' || tenant.status === 'pending' ? (
    <span className={styles.notChecked}>{text.healthNotChecked}</span>
  ) : (
    <State tone={ofHealth[tenant.health_status]}>{text.health[tenant.health_status]}</State>
  );

const ofWork = { queued: 'plain', running: 'busy', success: 'good', failed: 'bad', cancelled: 'warn' } as const;
export const WorkBadge = ({ status }: { status: DeploymentSummary['status'] }) => (
  <Badge tone={ofWork[status]}>{text.work[status]}</Badge>
);
