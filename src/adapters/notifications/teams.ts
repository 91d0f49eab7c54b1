import { type ChannelAdapter, cut, severityNames, tenantsLine } from './channel.ts';
import { postJson } from './post-json.ts';

const colors = { info: 'Accent', warning: 'Warning', error: 'Attention', critical: 'Attention' } as const;
/** The card must stay below 28 KB. */
const maxLines = 40;

/** A text run has no Markdown, a text block has. */
const line = (text: string, look: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...look }],
});

/** Microsoft Teams by the Workflows app: the trigger “When a Teams webhook request is received” takes an Adaptive Card. */
export const teams: ChannelAdapter<{ url: string }> = {
  recognizesRepetition: false,
  send({ url }, { title, text, url: page, severity, tenants }, context) {
    const lines = cut(text, 6_000).split('\n').filter(Boolean).slice(0, maxLines);
    const named = tenantsLine(tenants);
    const card = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [
        line(severityNames[severity], { color: colors[severity], weight: 'Bolder' }),
        line(cut(title, 500), { weight: 'Bolder', size: 'Medium' }),
        ...lines.map((one) => line(one)),
        ...(named ? [line(cut(named, 2_000), { isSubtle: true })] : []),
      ],
      actions: [{ type: 'Action.OpenUrl', title: 'Open in Tenantry', url: page }],
      msteams: { width: 'Full' },
    };
    const body = {
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
    };
    return postJson(url, JSON.stringify(body), context);
  },
};
