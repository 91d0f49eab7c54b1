import type { SettingDefinition } from './definition.ts';
import { isHttpUrl } from './rules.ts';

/** Settings of the AI provider, which mappings of lists and themes are asked of where there is one. */
export const assistantDefinitions = {
  ai_provider_base_url: {
    group: 'assistant',
    type: 'string',
    default: '',
    maxLength: 2_048,
    forgets: ['ai_provider_api_key'],
    rule: (value) => (isHttpUrl(value) ? undefined : 'must be an http or https address without credentials'),
    description:
      'Address of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1 for a model on this machine; empty: that of OpenAI where there is a key, else none, and built-in rules alone are used. A change clears the key, which was meant for the address before',
  },
  ai_provider_api_key: {
    group: 'assistant',
    type: 'string',
    default: '',
    maxLength: 4_096,
    secret: true,
    description: 'Key for the AI provider',
  },
  ai_provider_model: {
    group: 'assistant',
    type: 'string',
    default: '',
    maxLength: 200,
    description: 'Name of the model asked at the AI provider; without one none is asked',
  },
  ai_provider_timeout: {
    group: 'assistant',
    type: 'integer',
    default: 30,
    min: 1,
    max: 300,
    unit: 'seconds',
    description: 'Seconds the AI provider has to answer; after them built-in rules alone are used',
  },
  ai_sees_pictures: {
    group: 'assistant',
    type: 'boolean',
    default: false,
    description:
      'Whether the model reads pictures: it is then shown the screenshot of a website that it suggests themes for',
  },
  ai_input_price: {
    group: 'assistant',
    type: 'number',
    default: 0,
    min: 0,
    max: 100_000,
    unit: 'US dollars',
    description: 'Price of a million input tokens in US dollars, for the cost told in the journal; 0: not told',
  },
  ai_output_price: {
    group: 'assistant',
    type: 'number',
    default: 0,
    min: 0,
    max: 100_000,
    unit: 'US dollars',
    description: 'Price of a million output tokens in US dollars, for the cost told in the journal; 0: not told',
  },
  ai_raw_samples: {
    group: 'assistant',
    type: 'boolean',
    default: false,
    description:
      'Whether the AI provider is shown cells of contact lists as they are, personal data that they are; else letters and digits are masked',
  },
} as const satisfies Record<string, SettingDefinition>;
