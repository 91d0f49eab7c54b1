import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'react-router';
import { Badge } from '../../components/data/badge.tsx';
import { clockText, RelativeTime } from '../../components/data/time.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Note } from '../../components/feedback/note.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button, ButtonLink } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { PageHead, PagePart } from '../../components/layout/page.tsx';
import { dateFormat } from '../../lib/figures.ts';
import auditLog from '../audit-log/audit-log.module.css';
import { entryText } from '../audit-log/entry-text.ts';
import incidents from '../incidents/incidents.module.css';
import { useTenant } from '../tenant/tenant-page.tsx';
import tenants from '../tenants/tenants.module.css';
import { kindIcons, pageOf } from './entry-page.ts';
import { timelineText } from './messages.ts';
import { type Entry, hourBeforeLink, type Kind, timelineQuery } from './queries.ts';
import styles from './timeline.module.css';

/** What changed at all tenants and the manager. */
export const TimelinePage = () => (
  <>
    <PageHead title={timelineText.title} hint={timelineText.hint} />
    <Timeline />
  </>
);

/** What changed at a tenant. */
export function TimelineTab() {
  const { id } = useTenant();
  return <Timeline key={id} tenantId={id} />;
}

/** A timeline with its filters, which are in the URL. */
function Timeline({ tenantId }: { tenantId?: string }) {
  const [query, setQuery] = useSearchParams();
  const { pathname } = useLocation();
  const asked = query.get('before') ?? '';
  const hourBefore = Number.isNaN(Date.parse(asked)) ? undefined : new Date(asked).toISOString();
  const kinds = (query.get('kinds')?.split(',') ?? []).filter((kind): kind is Kind =>
    Object.hasOwn(timelineText.kinds, kind),
  );
  const timeline = useInfiniteQuery(timelineQuery({ tenantId, kinds, hourBefore }));
  const { data, error, isPlaceholderData } = timeline;
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const choose = (chosen: readonly Kind[]): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        chosen.length > 0 ? next.set('kinds', chosen.join(',')) : next.delete('kinds');
        return next;
      },
      { replace: true },
    );
  return (
    <>
      {hourBefore !== undefined && (
        <Note
          tone="plain"
          title={timelineText.hourTitle(timeText(hourBefore))}
          actions={
            <>
              {tenantId !== undefined && <ButtonLink to={hourBeforeLink(hourBefore)}>{timelineText.ofAll}</ButtonLink>}
              <ButtonLink to={pathname}>{timelineText.showAll}</ButtonLink>
            </>
          }
        />
      )}
      <Filters available={data?.pages[0]?.kinds ?? []} chosen={kinds} choose={choose} />
      {data && <ErrorNote error={error} />}
      {!data && <Waiting error={error} />}
      <div aria-busy={isPlaceholderData}>
        {[...Map.groupBy(entries, ({ at }) => dayText(at))].map(([day, ofDay]) => (
          <section key={day} aria-label={day}>
            <PagePart title={day} />
            <ol className={incidents.timeline}>
              {ofDay.map((entry) => (
                <TimelineEntry key={entry.id} entry={entry} showsTenant={tenantId === undefined} />
              ))}
            </ol>
          </section>
        ))}
      </div>
      {data && entries.length === 0 && <Nothing isFiltered={kinds.length > 0 || hourBefore !== undefined} />}
      {timeline.hasNextPage && (
        <div className={auditLog.more}>
          <Button aria-busy={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>
            {timelineText.older}
          </Button>
        </div>
      )}
    </>
  );
}

const day = dateFormat({ dateStyle: 'full' });
const dayText = (at: string): string => day.format(new Date(at));
const time = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' });
const timeText = (at: string): string => time.format(new Date(at));

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title={timelineText.nothing} hint={timelineText.nothingHint} />
  ) : (
    <Empty title={timelineText.none} hint={timelineText.noneHint} />
  );

interface FiltersProps {
  /** The kinds that the user may see. */
  available: readonly Kind[];
  chosen: readonly Kind[];
  choose(kinds: readonly Kind[]): void;
}

function Filters({ available, chosen, choose }: FiltersProps) {
  const toggled = (kind: Kind): Kind[] =>
    chosen.includes(kind) ? chosen.filter((one) => one !== kind) : [...chosen, kind];
  return (
    <fieldset className={`${tenants.filters} ${styles.filters}`} aria-label={timelineText.filter}>
      <button type="button" aria-pressed={chosen.length === 0} onClick={() => choose([])}>
        {timelineText.all}
      </button>
      {available.map((kind) => (
        <button key={kind} type="button" aria-pressed={chosen.includes(kind)} onClick={() => choose(toggled(kind))}>
          {timelineText.kinds[kind]}
        </button>
      ))}
    </fieldset>
  );
}

const tones = { warning: 'warn', error: 'bad', critical: 'bad' } as const;

const own = (text: string): string => entryText(text, timelineText.api);

function TimelineEntry({ entry, showsTenant }: { entry: Entry; showsTenant: boolean }) {
  const { at, kind, severity, title, detail, tenant, user } = entry;
  const page = pageOf(entry);
  return (
    <li data-kind={kind}>
      <span>
        <time dateTime={at}>{clockText(at)}</time> (<RelativeTime at={at} />)
      </span>
      <div>
        <div className={styles.title}>
          <Icon name={kindIcons[kind]} />
          <strong>{page === undefined ? own(title) : <Link to={page}>{own(title)}</Link>}</strong>
          {severity !== 'info' && <Badge tone={tones[severity]}>{timelineText.severity[severity]}</Badge>}
        </div>
        {detail && <p>{own(detail)}</p>}
        <div className={auditLog.about}>
          <span>{timelineText.kinds[kind]}</span>
          {showsTenant && tenant && <TenantName tenant={tenant} />}
          {user && <span>{timelineText.by(user)}</span>}
          <Link
            to={hourBeforeLink(at, tenant?.deleted ? undefined : tenant?.id)}
            aria-label={timelineText.hourBeforeOf(own(title))}
          >
            {timelineText.hourBefore}
          </Link>
        </div>
      </div>
    </li>
  );
}

const TenantName = ({ tenant: { id, name, deleted } }: { tenant: NonNullable<Entry['tenant']> }) =>
  deleted ? <span>{timelineText.deletedTenant(name)}</span> : <Link to={`/tenants/${id}/timeline`}>{name}</Link>;
