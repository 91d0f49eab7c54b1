import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { useStream } from '../../../api/live.ts';
import parts from '../../../components/components.module.css';
import { RelativeTime } from '../../../components/data/time.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Icon, type IconName } from '../../../components/layout/icon.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { knownText } from '../../tenant/diagnosis/causes.ts';
import { systemQuery } from '../queries.ts';
import { preflightCause } from './causes.ts';
import { preflightText as words } from './messages.ts';
import styles from './preflight.module.css';
import {
  isInProgress,
  type Preflight,
  type PreflightCheck,
  preflightQuery,
  refreshPreflight,
  startPreflight,
  takePreflightMessage,
} from './queries.ts';

const icons: Record<PreflightCheck['status'], IconName> = {
  pending: 'pending',
  running: 'running',
  good: 'good',
  failed: 'bad',
  not_checked: 'skipped',
};

/** Where a remedy is done; the others are done outside of the dashboard. */
const places: Partial<Record<NonNullable<PreflightCheck['remedy']>['code'], string>> = {
  set_registry_credentials: '/system/registries',
  check_proxy: '/system/proxy',
  free_disk: '/system/overview',
  correct_bucket_settings: '/system/settings',
  correct_mail_channel: '/system/notifications/channels',
};

/** Runtimes that build images. */
const builtKinds = new Set(['docker', 'swarm']);

/** The check of the host, for operators. */
export function PreflightSection() {
  const { data, error } = useQuery(preflightQuery);
  const [image, setImage] = useState('');
  const kind = useQuery(systemQuery).data?.runtime.kind;
  const start = useMutation({ mutationFn: () => startPreflight(image.trim()) });
  const running = data && isInProgress(data);
  useStream(
    running ? { stream: 'preflight', id: data.preflight_id } : undefined,
    takePreflightMessage,
    refreshPreflight,
  );
  if (data === undefined) return <Waiting error={error} />;
  const button = (
    <Button variant="primary" disabled={start.isPending || running === true} onClick={() => start.mutate()}>
      {running ? words.running : data ? words.again : words.start}
    </Button>
  );
  return (
    <>
      <PagePart title={words.section} hint={words.hint}>
        {data && button}
      </PagePart>
      {kind !== undefined && builtKinds.has(kind) && (
        <div className={styles.image}>
          <TextField name="base_image" label={words.image} hint={words.imageHint} value={image} onChange={setImage} />
        </div>
      )}
      <ErrorNote error={start.error} />
      {data ? (
        <Results preflight={data} />
      ) : (
        <Empty title={words.emptyTitle} hint={words.emptyHint}>
          {button}
        </Empty>
      )}
    </>
  );
}

function Results({ preflight: { status, checks, base_image, created_by, created_at } }: { preflight: Preflight }) {
  const count = (wanted: PreflightCheck['status']): number => checks.filter((one) => one.status === wanted).length;
  const isBuilt = checks.some(({ check }) => check === 'base_image');
  const summary = isInProgress({ status })
    ? words.checking(checks.length - count('pending') - count('running'), checks.length)
    : words.ended(count('failed'), count('not_checked'));
  return (
    <section className={parts.card} aria-label={words.section}>
      <div role="status">
        <h2>{summary}</h2>
      </div>
      <p className={parts.fine}>
        {[created_by, ...(isBuilt ? [base_image] : [])].join(', ')}, <RelativeTime at={created_at} />
      </p>
      <ul className={styles.checks}>
        {checks.map((one) => (
          <CheckRow key={one.check} result={one} />
        ))}
      </ul>
    </section>
  );
}

function CheckRow({ result: { check, status, detail, cause, remedy, reason } }: { result: PreflightCheck }) {
  const place = remedy && places[remedy.code];
  return (
    <li data-status={status}>
      <Icon name={icons[status]} />
      <div>
        <p>
          {words.checks[check]}
          <span className={parts.spoken}>: {words.statuses[status]}</span>
        </p>
        {cause && <strong>{preflightCause(cause, 'title') ?? knownText(cause, 'title') ?? cause.title}</strong>}
        {cause && remedy && (
          <p>
            {preflightCause(cause, 'remedy') ?? knownText(cause, 'remedy') ?? remedy.text}{' '}
            {place && <Link to={place}>{words.open}</Link>}
          </p>
        )}
        {reason && <p>{words.reasons[reason]}</p>}
        {detail && <p className={styles.detail}>{detail}</p>}
      </div>
    </li>
  );
}
