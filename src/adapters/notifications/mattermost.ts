import { type ChannelAdapter, cut, escapeMarkdown, severityColors, severityNames, tenantsLine } from './channel.ts';
import { postJson } from './post-json.ts';

/** Markdown without effect, and a zero-width space that ends `@channel` before it is a mention. */
const harmless = (text: string): string => escapeMarkdown(text).replaceAll('@', '@\u200b');

/** Mattermost's incoming webhooks. */
export const mattermost: ChannelAdapter<{ url: string }> = {
  recognizesRepetition: false,
  send({ url }, { title, text, url: page, severity, tenants }, context) {
    const lines = [text, tenantsLine(tenants)].filter(Boolean).join('\n\n');
    const body = {
      attachments: [
        {
          fallback: harmless(cut(`${severityNames[severity]}: ${title}`, 1_000)),
          color: `#${severityColors[severity].toString(16).padStart(6, '0')}`,
          title: harmless(cut(title, 250)),
          title_link: page,
          text: harmless(cut(lines, 4_000)),
          footer: severityNames[severity],
        },
      ],
    };
    return postJson(url, JSON.stringify(body), context);
  },
};
