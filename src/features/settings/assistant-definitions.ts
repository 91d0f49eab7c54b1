import { isHttpUrl, type SettingDefinition } from './definition.ts';

/** Settings of the optional AI provider, which suggests list mappings and themes. */
export const assistantDefinitions = {
  ai_provider_base_url: {
    group: 'assistant',
    type: 'string',
    default: '',
    maxLength: 2_048,
    clears: ['ai_provider_api_key'],
    rule: (value) => (isHttpUrl(value) ? undefined : 'must be an http or https address without credentials'),
    description:
      'Address of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1 for a local model. Empty: OpenAI if a key is set; otherwise only built-in rules are used. Changing the address clears the key, which belongs to the old address',
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
    description: 'Name of the AI provider’s model. Empty: the AI provider is not used',
  },
  ai_provider_timeout: {
    group: 'assistant',
    type: 'integer',
    default: 30,
    min: 1,
    max: 300,
    unit: 'seconds',
    description: 'Response timeout of the AI provider in seconds; after it, only built-in rules are used',
  },
  ai_sees_pictures: {
    group: 'assistant',
    type: 'boolean',
    default: false,
    description: 'Whether the model accepts images: it then gets a screenshot of the website when it suggests themes',
  },
  ai_input_price: {
    group: 'assistant',
    type: 'number',
    default: 0,
    min: 0,
    max: 100_000,
    unit: 'US dollars',
    description: 'Price of a million input tokens in US dollars, for the costs in the audit log; 0: not shown',
  },
  ai_output_price: {
    group: 'assistant',
    type: 'number',
    default: 0,
    min: 0,
    max: 100_000,
    unit: 'US dollars',
    description: 'Price of a million output tokens in US dollars, for the costs in the audit log; 0: not shown',
  },
  ai_raw_samples: {
    group: 'assistant',
    type: 'boolean',
    default: false,
    description:
      'Whether the AI provider gets unmasked cells of contact lists, which are personal data. If not, letters and digits are masked',
  },
} as const satisfies Record<string, SettingDefinition>;
