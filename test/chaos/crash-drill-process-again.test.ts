import { describe } from '@jest/globals';
import { crashDrill } from './crash-drill.ts';
import { processUnitsOf } from './process-units.ts';

describe('kill -9 of the manager, local processes', () => {
  crashDrill({
    of: 'redeployments',
    environment: { RUNTIME: 'process' },
    unitsOf: processUnitsOf,
  });
});
