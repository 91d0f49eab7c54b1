import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createAssistant } from '../../../../src/adapters/assistant/assistant.ts';
import { sensitiveKinds } from '../../../../src/features/list-imports/mapping/sensitive.ts';
import { createMappingSuggestions } from '../../../../src/features/list-imports/mapping/suggest.ts';
import { type AssistantServer, startAssistantServer } from '../../../harness/servers/assistant-server.ts';

describe('sensitive columns', () => {
  test.each([
    ['Race', 'race or ethnicity'],
    ['race_desc', 'race or ethnicity'],
    ['EthnicGroup', 'race or ethnicity'],
    ['Ethnicity', 'race or ethnicity'],
    ['SSN', 'social security number'],
    ['ssn4', 'social security number'],
    ['Social Security #', 'social security number'],
    ["Driver's License No.", 'driver’s licence'],
    ['DriversLicense', 'driver’s licence'],
    ['DL Number', 'driver’s licence'],
    ['Passport', 'identity document'],
    ['IBAN', 'bank account or card'],
    ['Medical notes', 'health'],
    ['Religión', 'religion'],
    ['Religious affiliation', 'religion'],
    ['Trace', undefined],
    ['Grace Period', undefined],
    ['First Name', undefined],
    ['Account Manager', undefined],
    ['License Plate', undefined],
  ])('are recognised by their header: %s', (header, kind) => {
    expect(sensitiveKinds({ headers: [header], sampleRows: [], hasHeader: true })).toEqual([kind]);
  });

  test('are recognised by their values', () => {
    const ofValues = (...values: string[]) =>
      sensitiveKinds({ headers: ['Ref'], sampleRows: values.map((value) => [value]), hasHeader: true });
    expect(ofValues('219-09-9991', '', '078-05-1120', '457-55-5462')).toEqual(['social security number']);
    expect(ofValues('219-09-9991', '078-05-1120')).toEqual([undefined]);
    expect(ofValues('312-555-0170', '312-555-0171', '312-555-0172')).toEqual([undefined]);
  });

  describe('in suggestions', () => {
    let server: AssistantServer;
    beforeAll(async () => {
      server = await startAssistantServer();
    });
    afterAll(() => server.close());

    const list = {
      headers: ['First', 'Last', 'Race', 'Blorp', 'SSN'],
      sampleRows: [
        ['Deshawn', 'Okafor', 'Caucasian', 'Quarry Vale', '219-09-9991'],
        ['Priya', 'Vandersloot', 'Asian', 'Oakdale', '078-05-1120'],
      ],
      hasHeader: true,
    };

    test('are skipped unless the user chooses otherwise, and the assistant gets none of their values', async () => {
      server.behave({ answer: { columns: [{ column: 2, target: 'custom_fields.race' }] } });
      const suggest = createMappingSuggestions({
        assistant: createAssistant(async () => ({
          baseUrl: server.baseUrl,
          apiKey: 'sk-very-secret-1234567890',
          model: 'small',
          timeoutMs: 5_000,
        })),
        rawSamples: async () => true,
        logger: pino({ level: 'silent' }),
      });
      const { mappings, warnings } = await suggest(list);
      expect(mappings.map(({ target }) => target)).toEqual([
        'first_name',
        'last_name',
        'skip',
        'custom_fields.blorp',
        'skip',
      ]);
      expect(mappings[2]).toMatchObject({
        reason: 'Sensitive (race or ethnicity): imported only if you choose it',
        alternatives: [{ target: 'custom_fields.race' }],
      });
      expect(warnings).toContain('Imported only if you choose so, because of what they seem to hold: "Race", "SSN".');
      const sent = JSON.stringify(server.asked);
      expect(sent).toContain('Quarry Vale');
      expect(sent).not.toContain('Caucasian');
      expect(sent).not.toContain('219-09-9991');
    });
  });
});
