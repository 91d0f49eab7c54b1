import { Overlay } from '../../components/layout/overlays.tsx';
import { isMac } from '../../features/palette/palette-button.tsx';
import { shellText } from '../messages.ts';
import styles from './help.module.css';

const words = shellText.shortcuts;

const shortcuts: readonly (readonly [keys: readonly string[], effect: string])[] = [
  [[isMac ? '⌘ K' : 'Ctrl K'], words.palette],
  [['/'], words.search],
  [['g', 'h'], words.home],
  [['g', 't'], words.tenants],
  [['Tab', 'Shift Tab'], words.move],
  [['↑', '↓'], words.choose],
  [['Esc'], words.close],
  [['?'], words.list],
];

/** Lists the keyboard shortcuts. */
export const ShortcutsDialog = ({ onClose }: { onClose(): void }) => (
  <Overlay place="middle" title={words.title} onClose={onClose}>
    <dl className={styles.shortcuts}>
      {shortcuts.map(([keys, effect]) => (
        <div key={effect}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{effect}</dd>
        </div>
      ))}
    </dl>
  </Overlay>
);
