import type { components } from '../../../api/schema.ts';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import type { UpgradeActions } from './actions.ts';
import { upgradeText } from './messages.ts';
import type { Rehearsed } from './queries.ts';
import styles from './upgrade.module.css';
import { failedBefore, type Warning, wouldFail } from './warnings.ts';

type Version = components['schemas']['TenantVersion'];

function upToDateHint({ deployed_version, latest_version }: Version): string {
  if (latest_version === null) return deployed_version ? upgradeText.noReleaseHint : upgradeText.upToDateHeadHint;
  return latest_version === deployed_version ? upgradeText.upToDateHint : upgradeText.aheadHint(latest_version);
}

interface NextVersionProps {
  version: Version;
  /** The newest rehearsal's result. */
  rehearsed: Rehearsed | null | undefined;
  ways: UpgradeActions;
}

/** Facts about the newest version: it failed, or a rehearsal's result. */
function prospects({ version, rehearsed }: NextVersionProps): {
  tone: 'plain' | 'warn';
  title: string;
  hint: string;
  warning?: Warning;
} {
  const { deployed_version, deployed_commit, latest_version, latest_commit, failed_versions } = version;
  const runs = deployed_version ?? deployed_commit?.slice(0, 10) ?? upgradeText.head;
  const next = latest_version ?? upgradeText.head;
  const tried = rehearsed?.commit === latest_commit && rehearsed?.previous_version === deployed_version;
  const failed = failed_versions.find(({ commit }) => commit === latest_commit);
  if (failed) {
    const [title, hint] = [upgradeText.failedBefore(next), upgradeText.failedBeforeHint];
    return { tone: 'warn', title, hint, warning: failedBefore(failed) };
  }
  if (!tried) return { tone: 'plain', title: upgradeText.ready(next), hint: upgradeText.readyHint(runs) };
  if (rehearsed.ok) return { tone: 'plain', title: upgradeText.rehearsed(next), hint: upgradeText.rehearsedHint(runs) };
  const warning = wouldFail(rehearsed.failure?.message ?? '');
  return { tone: 'warn', title: upgradeText.wouldFail(next), hint: upgradeText.wouldFailHint, warning };
}

/** The running version, and the one suggested action. */
export function NextVersion(props: NextVersionProps) {
  const { version, rehearsed, ways } = props;
  const operator = useHasRole('operator');
  const { deployed_version, deployed_commit, latest_version } = version;
  if (!version.upgrade_available)
    return (
      <section className={styles.next} data-tone="good">
        <div>
          <h2>{upgradeText.upToDate(deployed_version ?? deployed_commit?.slice(0, 10) ?? upgradeText.head)}</h2>
          <p>{upToDateHint(version)}</p>
        </div>
      </section>
    );
  const { tone, title, hint, warning } = prospects(props);
  const target = { version: latest_version, name: latest_version ?? upgradeText.head, older: false };
  return (
    <section className={styles.next} data-tone={tone}>
      <div>
        <h2>{title}</h2>
        <p>{hint}</p>
      </div>
      {operator && (
        <div className={styles.ways}>
          <Button disabled={ways.busy} onClick={() => ways.rehearse(latest_version)}>
            {warning || rehearsed?.ok ? upgradeText.rehearseAgain : upgradeText.rehearse}
          </Button>
          <Button
            variant={warning ? 'plain' : 'primary'}
            disabled={ways.busy}
            onClick={() => ways.upgrade({ ...target, ...(warning ? { warning } : {}) })}
          >
            {warning ? upgradeText.upgradeAnyway : upgradeText.upgrade}
          </Button>
        </div>
      )}
    </section>
  );
}
