import { type ChannelAdapter, cut, escapeMarkdown, severityColors, severityNames, tenantsLine } from './channel.ts';
import { postJson } from './post-json.ts';

/** Discord's webhooks: one embed, without mentions. The limits are Discord's. */
export const discord: ChannelAdapter<{ url: string }> = {
  recognizesRepetition: false,
  send({ url }, { title, text, url: page, severity, at, tenants }, context) {
    const lines = [text, tenantsLine(tenants)].filter(Boolean).join('\n\n');
    const body = {
      username: 'Tenantry',
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: cut(escapeMarkdown(title), 256),
          description: cut(escapeMarkdown(lines), 4_000),
          url: page,
          color: severityColors[severity],
          footer: { text: severityNames[severity] },
          timestamp: at.toISOString(),
        },
      ],
    };
    const address = new URL(url);
    // Otherwise Discord answers before it has stored the message.
    address.searchParams.set('wait', 'true');
    return postJson(address.href, JSON.stringify(body), context);
  },
};
