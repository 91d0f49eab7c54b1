import { text } from '../../lib/messages.ts';

/** What index.html shows with its own styles until the script runs: it stays until the first page can be shown. */
export const Starting = () => (
  <div id="starting">
    <b>{text.product}</b>
    <p role="status">{text.loading}</p>
    <div>
      {Array.from({ length: 6 }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines without content
        <i key={line} />
      ))}
    </div>
  </div>
);
