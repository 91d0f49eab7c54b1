import parts from '../../components/components.module.css';
import { Facts } from '../../components/data/facts.tsx';
import styles from './configuration.module.css';
import { isHidden } from './environment/env-rows.ts';
import { groupNames, groups } from './fields.ts';
import { configurationText } from './messages.ts';
import type { Config } from './queries.ts';

/** A read-only configuration. */
export function ConfigView({ config }: { config: Config }) {
  const entries = Object.entries(config.custom_env);
  return (
    <>
      {groupNames.map((group) => (
        <section key={group} className={parts.card}>
          <h2>{configurationText.groups[group]}</h2>
          <Facts
            facts={Object.fromEntries(
              groups[group].map(({ name }) => [configurationText.fields[name].label, config[name]]),
            )}
          />
        </section>
      ))}
      {entries.length > 0 && (
        <section className={parts.card}>
          <h2>{configurationText.env.title}</h2>
          <Facts
            facts={Object.fromEntries(
              entries.map(([name, value]) => [
                name,
                <span key={name} className={styles.text}>
                  {isHidden(value) ? (
                    <i>{configurationText.env.hidden}</i>
                  ) : (
                    value || <i>{configurationText.env.blank}</i>
                  )}
                </span>,
              ]),
            )}
          />
        </section>
      )}
    </>
  );
}
