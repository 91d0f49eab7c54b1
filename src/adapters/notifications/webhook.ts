import { Webhook } from 'standardwebhooks';
import type { ChannelAdapter } from './channel.ts';
import { postJson } from './post-json.ts';

interface WebhookConfig {
  url: string;
  /** `whsec_` and 24 to 64 bytes in base64. */
  secret: string;
}

/**
 * Any receiver, signed as Standard Webhooks says (`v1`, HMAC-SHA256). Its `webhook-id` stays the same for each attempt:
 * receivers use it to recognize a repetition.
 */
export const webhook: ChannelAdapter<WebhookConfig> = {
  recognizesRepetition: true,
  send({ url, secret }, { id, title, text, url: page, severity, at, tenants }, context) {
    const body = JSON.stringify({
      type: 'alert',
      timestamp: at.toISOString(),
      data: { title, text, url: page, severity, tenants },
    });
    const now = new Date();
    return postJson(url, body, context, {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    });
  },
};
