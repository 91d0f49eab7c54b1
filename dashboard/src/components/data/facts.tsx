import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** A definition list; undefined and empty values are left out. */
export const Facts = ({ facts }: { facts: Readonly<Record<string, ReactNode>> }) => (
  <dl className={styles.facts}>
    {Object.entries(facts)
      .filter(([, fact]) => fact !== undefined && fact !== null && fact !== '')
      .map(([name, fact]) => [<dt key={`${name}:`}>{name}</dt>, <dd key={name}>{fact}</dd>])}
  </dl>
);
