import { type ChannelAdapter, cut, severityNames, tenantsLine } from './channel.ts';
import { postJson } from './post-json.ts';

/** The three characters that Slack's markup reserves; `<!channel>` is then only text. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** Shown without any markup. */
const plain = (text: string, max: number) => ({ type: 'plain_text', text: cut(text, max), emoji: false });
/** The address within `<…|…>`. */
const linked = (url: string): string => escaped(url).replaceAll('|', '%7C');

/** Slack's incoming webhooks. Texts are sent as plain text; the limits are those of Block Kit. */
export const slack: ChannelAdapter<{ url: string }> = {
  recognizesRepetition: false,
  send({ url }, { title, text, url: page, severity, tenants }, context) {
    const line = [severityNames[severity], tenantsLine(tenants)].filter(Boolean).join(' · ');
    const body = {
      text: escaped(cut(`${severityNames[severity]}: ${title}`, 1_000)),
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'header', text: plain(title, 150) },
        ...(text ? [{ type: 'section', text: plain(text, 3_000) }] : []),
        { type: 'context', elements: [plain(line, 2_000)] },
        { type: 'section', text: { type: 'mrkdwn', text: `<${linked(page)}|Open in Tenantry>` } },
      ],
    };
    return postJson(url, JSON.stringify(body), context);
  },
};
