import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { timeText } from '../../../components/data/time.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Choice } from '../../../components/log/log-view.tsx';
import { logText } from '../../../components/log/messages.ts';
import { useWrap } from '../../../components/log/use-wrap.ts';
import { keepInAddress, useQueryValue } from '../../../hooks/use-query-value.ts';
import { useSettled } from '../../../hooks/use-settled.ts';
import { KeptLineView } from './kept-line.tsx';
import styles from './kept-logs.module.css';
import { LinkedLines } from './linked-lines.tsx';
import { keptText } from './messages.ts';
import { type Generation, type Hit, keptLogsQuery, logArchiveQuery } from './queries.ts';

/** Typing must not start a search with each character. Milliseconds. */
const settlesAfter = 300;

/** Searches the logs that are kept past the services' life. */
export function KeptLogs({ tenantId, children }: { tenantId: string; children: ReactNode }) {
  const [kept] = useQueryValue('search');
  const [text, setText] = useState(kept);
  const [level, setLevel] = useQueryValue('level');
  const [service, setService] = useQueryValue('service', 'both');
  const [age, setMinutes] = useQueryValue('minutes');
  const minutes = Object.hasOwn(keptText.ages, age) ? age : '';
  const [from, setFrom] = useQueryValue('from');
  const [to, setTo] = useQueryValue('to');
  const [wrap, setWrap] = useWrap();
  const [generation, setGeneration] = useQueryValue('generation');
  const [line, setLine] = useQueryValue('kept');
  const words = useSettled(text.trim(), settlesAfter);
  useEffect(() => keepInAddress('search', words), [words]);
  const filter = { text: words, level, service, minutes, from, to, generation };
  const search = useInfiniteQuery({ ...keptLogsQuery(tenantId, filter), enabled: line === '' });
  const { data: archive } = useQuery(logArchiveQuery(tenantId));
  if (line) return <LinkedLines tenantId={tenantId} line={line} onBack={() => setLine('')} />;

  const { data, error } = search;
  const hits = data?.pages.flatMap((page) => page.hits) ?? [];
  const searchedTo = data?.pages.at(-1)?.searched_to;
  const generations = archive?.generations ?? [];
  const chosen = generations.find((one) => one.generation === generation);
  const isFiltered = words !== '' || level !== '' || minutes !== '' || generation !== '' || service !== 'both';
  return (
    <section className={styles.kept} aria-label={keptText.views.kept}>
      <div className={styles.tools}>
        <input
          type="search"
          aria-label={keptText.search}
          placeholder={keptText.search}
          value={text}
          maxLength={500}
          onChange={(event) => setText(event.target.value)}
        />
        <Choice label={logText.level} options={logText.levels} value={level} onChange={setLevel} />
        <Choice label={logText.age} options={keptText.ages} value={minutes} onChange={setMinutes} />
        <Choice label={logText.service} options={logText.services} value={service} onChange={setService} />
        <Choice
          label={keptText.generation}
          options={namesOf(generations)}
          value={generation}
          onChange={setGeneration}
        />
        {minutes === 'between' && (
          <>
            <TextField name="from" type="datetime-local" label={keptText.from} value={from} onChange={setFrom} />
            <TextField name="to" type="datetime-local" label={keptText.to} value={to} onChange={setTo} />
          </>
        )}
        {children}
        <CheckField label={logText.wrap} checked={wrap} onChange={setWrap} />
        <span className={styles.count} role="status">
          {search.isFetching ? keptText.searching : data && keptText.found(hits.length, search.hasNextPage)}
        </span>
      </div>
      {chosen && <p className={styles.fine}>{endOf(chosen)}</p>}
      {data && <ErrorNote error={error} />}
      {!data && <Waiting error={error} />}
      {hits.length > 0 && <Hits hits={hits} words={words.toLowerCase()} wrap={wrap} />}
      {data && hits.length === 0 && !search.hasNextPage && <Nothing filtered={isFiltered} />}
      {search.hasNextPage && (
        <div className={styles.more}>
          <Button
            aria-busy={search.isFetchingNextPage}
            onClick={() => void search.fetchNextPage({ cancelRefetch: false })}
          >
            {keptText.more}
          </Button>
          {searchedTo && <span className={styles.count}>{keptText.searchedTo(timeText(searchedTo))}</span>}
        </div>
      )}
    </section>
  );
}

/** The lines found, each with the lines around it. */
function Hits({ hits, words, wrap }: { hits: readonly Hit[]; words: string; wrap: boolean }) {
  const today = new Date();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className={styles.lines} tabIndex={0} aria-label={keptText.list} data-wrap={wrap || undefined}>
      <ol className={styles.hits}>
        {hits.map((hit) => (
          <li key={hit.id} className={hit.before.length + hit.after.length > 0 ? styles.hit : undefined}>
            {hit.before.map((line) => (
              <KeptLineView key={line.id} line={line} today={today} minor />
            ))}
            <KeptLineView
              line={hit}
              today={today}
              service={logText.services[hit.unit]}
              level={hit.level}
              words={words}
            />
            {hit.after.map((line) => (
              <KeptLineView key={line.id} line={line} today={today} minor />
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

const Nothing = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <Empty title={keptText.nothingTitle} hint={keptText.nothingHint} />
  ) : (
    <Empty title={keptText.emptyTitle} hint={keptText.emptyHint} />
  );

function namesOf(generations: readonly Generation[]): Record<string, string> {
  const names = generations.map(({ generation, unit, commit, started_at, ended_at }) => [
    generation,
    keptText.generationName(
      logText.services[unit],
      commit?.slice(0, 7) ?? '',
      timeText(started_at),
      ended_at === null ? undefined : timeText(ended_at),
    ),
  ]);
  return { '': keptText.allGenerations, ...Object.fromEntries(names) };
}

function endOf({ state, reason }: Generation): string {
  const end = keptText.ended[state];
  return reason === null ? end : keptText.endedBecause(end, reason);
}
