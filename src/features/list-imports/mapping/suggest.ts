import type { Assistant } from '../../../adapters/assistant/assistant.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { ColumnsOfList } from './by-rules.ts';
import { type FieldMapping, fieldsFilledBy, targetsInSentence } from './field-mapping.ts';
import { requiredFields } from './person-fields.ts';
import { sensitiveKinds, skipSensitive, withoutSensitiveValues } from './sensitive.ts';

/**
 * Suggests a mapping for each column, and warnings in whole sentences: by rules, refined by the assistant if there is one. If the assistant fails, the rules'
 * suggestions are returned with a warning. The rules are loaded on first use.
 */
export function createMappingSuggestions({
  assistant,
  rawSamples,
  logger,
}: {
  assistant: Assistant;
  /** Whether cells may be sent to the assistant unmasked. */
  rawSamples(): Promise<boolean>;
  logger: Logger;
}) {
  /** @param refine changes the suggestions before sensitive columns are skipped and warnings are found */
  return async (
    columns: ColumnsOfList,
    refine?: (suggested: FieldMapping[]) => Promise<FieldMapping[]>,
  ): Promise<{ mappings: FieldMapping[]; warnings: string[] }> => {
    const { mapByRules } = await import('./by-rules.ts');
    const sensitive = sensitiveKinds(columns);
    const byRules = await mapByRules(columns);
    const { mappings: suggested, warnings } = await asked(withoutSensitiveValues(columns, sensitive), byRules);
    const mappings = skipSensitive((await refine?.(suggested)) ?? suggested, sensitive);
    return { mappings, warnings: [...warnings, ...warningsAbout(columns, mappings, sensitive)] };
  };

  async function asked(columns: ColumnsOfList, byRules: FieldMapping[]) {
    try {
      const state = await assistant.state();
      if (state === 'none') return { mappings: byRules, warnings: [] };
      if (state !== 'ready') return { mappings: byRules, warnings: [state.missing] };
      const { mapByAssistant, withAssistant } = await import('./by-assistant.ts');
      const targets = await mapByAssistant(assistant, columns, await rawSamples());
      return { mappings: withAssistant(byRules, targets, columns), warnings: [] };
    } catch (error) {
      const reason = messageOf(error);
      logger.warn({ reason }, 'mappings are suggested without the AI provider');
      return { mappings: byRules, warnings: [`${reason}. The suggestions come from the built-in rules only.`] };
    }
  }
}

/** What users should check before they continue. */
function warningsAbout(
  { hasHeader }: ColumnsOfList,
  mappings: readonly FieldMapping[],
  sensitive: readonly (string | undefined)[],
): string[] {
  const filled = new Set(mappings.flatMap(fieldsFilledBy));
  const missing = requiredFields.filter((field) => !filled.has(field));
  const split = mappings.find(({ transform }) => transform === 'full_name');
  const skipped = mappings
    .filter(({ target }, at) => target === 'skip' && sensitive[at])
    .map(({ source }) => JSON.stringify(source));
  const place = mappings.find(({ transform }) => transform === 'city_state_zip' || transform === 'city_state');
  return [
    ...(hasHeader
      ? []
      : ['The list has no headers: the suggestions are based on its values only. Check each of them.']),
    ...(missing.length > 0
      ? [`No column was found for ${targetsInSentence(missing)}; an import needs a first and a last name.`]
      : []),
    ...(skipped.length > 0
      ? [`Imported only if you choose so, because of what they seem to hold: ${skipped.join(', ')}.`]
      : []),
    ...(split ? [`${JSON.stringify(split.source)} holds whole names; it is split into first and last name.`] : []),
    ...(place ? [`${JSON.stringify(place.source)} is split into ${targetsInSentence(fieldsFilledBy(place))}.`] : []),
  ];
}
