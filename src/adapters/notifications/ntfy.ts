import { type ChannelAdapter, cut, tenantsLine } from './channel.ts';
import { postJson } from './post-json.ts';

interface NtfyConfig {
  /** Its root. */
  server: string;
  topic: string;
  /** Empty: the topic is open. */
  token: string;
}

const priorities = { info: 2, warning: 3, error: 4, critical: 5 } as const;
const tags = { info: 'information_source', warning: 'warning', error: 'rotating_light', critical: 'sos' } as const;

/**
 * ntfy, published as JSON: its headers would take no Unicode. From version 2.16 a message with the same `sequence_id` replaces
 * the earlier one; older servers show it twice, and the answer does not say which it is.
 */
export const ntfy: ChannelAdapter<NtfyConfig> = {
  recognizesRepetition: false,
  send({ server, topic, token }, { id, title, text, url: click, severity, tenants }, context) {
    const lines = [text, tenantsLine(tenants)].filter(Boolean).join('\n\n');
    const body = {
      topic,
      title: cut(title, 250),
      // At most 4,096 bytes; more would become an attachment.
      message: cut(lines || title, 1_300),
      priority: priorities[severity],
      tags: [tags[severity]],
      click,
      sequence_id: id,
    };
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    return postJson(server, JSON.stringify(body), context, headers);
  },
};
