import styles from './configuration.module.css';
import { isHidden } from './environment/env-rows.ts';
import type { FieldName } from './fields.ts';
import { configurationText } from './messages.ts';
import type { ConfigChange } from './queries.ts';

const words = configurationText.dialog;

/** Changes, each before and after, as the manager tells them: without secrets. */
export const ChangeList = ({ changes }: { changes: readonly ConfigChange[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section className={styles.changes} tabIndex={0} aria-label={words.changes}>
    <ul>
      {changes.map((change) => (
        <li key={`${change.field} ${change.entry}`}>
          <strong className={change.entry === null ? undefined : styles.mono}>{nameOf(change)}</strong>
          <dl>
            <dt>{words.before}</dt>
            <dd className={styles.before}>{shown(change.before, words.hidden)}</dd>
            <dt>{words.after}</dt>
            <dd>{shown(change.after, isHidden(change.before) ? words.hiddenAnew : words.hidden)}</dd>
          </dl>
          {change.before === change.after && !isHidden(change.after) && <p>{words.sameStart}</p>}
        </li>
      ))}
    </ul>
  </section>
);

const nameOf = ({ field, entry }: ConfigChange): string =>
  entry ?? configurationText.fields[field as FieldName]?.label ?? field;

function shown(value: string | null, hidden: string) {
  if (value === null) return <i>{words.none}</i>;
  return isHidden(value) ? <i>{hidden}</i> : value;
}
