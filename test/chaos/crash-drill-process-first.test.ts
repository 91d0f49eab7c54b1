import { describe } from '@jest/globals';
import { crashDrill } from './crash-drill.ts';
import { processUnitsOf } from './process-units.ts';

describe('kill -9 of the manager, local processes', () => {
  crashDrill({
    of: 'first deployments',
    environment: { RUNTIME: 'process' },
    unitsOf: processUnitsOf,
  });
});
