import type { ColumnsOfList } from './by-rules.ts';
import { profileOf } from './columns/profile.ts';
import { fits } from './decisions/agreement.ts';
import { type FieldMapping, fieldsFilledBy, type MappingTarget } from './field-mapping.ts';
import { isPersonField } from './person-fields.ts';

/** From here on rules are right so often that an assistant does not overrule them. */
const sureRule = 0.9;
/** What is no field by words that are all understood ("Voter Status") stays none. */
const sureElsewhere = 0.95;
/** A suggestion that only an assistant makes is looked at by a person: it stays well below "sure". */
const assistantAlone = 0.7;
const bothAgree = 0.93;

/**
 * Puts an assistant's targets into the rules' mappings: it decides where they are unsure, fills fields that they left empty, and
 * makes them surer where it agrees. A target must fit the values, and no field is used twice.
 * @param targets column → target
 */
export function withAssistant(
  mappings: readonly FieldMapping[],
  targets: ReadonlyMap<number, MappingTarget>,
  { sampleRows }: Pick<ColumnsOfList, 'sampleRows'>,
): FieldMapping[] {
  const merged = [...mappings];
  const filled = new Set(mappings.flatMap(fieldsFilledBy));
  for (const [index, target] of targets) {
    const mapping = merged[index];
    if (!mapping) continue;
    if (agree(mapping, target)) {
      const confidence = Math.max(mapping.confidence, isPersonField(target) ? bothAgree : mapping.confidence);
      merged[index] = { ...mapping, confidence };
      continue;
    }
    // Parts of an address, and splits, belong together; what is left over is no loss for anybody.
    const sure = isPersonField(mapping.target) ? sureRule : sureElsewhere;
    const open = mapping.transform === undefined && mapping.confidence < sure;
    if (open && isPersonField(target) && !filled.has(target) && fits(target, profileOf(sampleRows, index))) {
      for (const field of fieldsFilledBy(mapping)) filled.delete(field);
      filled.add(target);
      const alternatives = [{ target: mapping.target, confidence: mapping.confidence }];
      merged[index] = {
        source: mapping.source,
        target,
        confidence: assistantAlone,
        reason: 'Suggested by the AI provider',
        alternatives,
      };
    } else if (isPersonField(target)) {
      merged[index] = { ...mapping, alternatives: alternativesWith(mapping, target) };
    }
  }
  return merged;
}

const agree = (mapping: FieldMapping, target: MappingTarget): boolean =>
  mapping.target === target || (mapping.target.startsWith('custom_fields.') && target.startsWith('custom_fields.'));

function alternativesWith({ alternatives = [] }: FieldMapping, target: MappingTarget) {
  if (alternatives.some((alternative) => alternative.target === target)) return alternatives;
  return [...alternatives, { target, confidence: 0.3 }].slice(0, 4);
}
