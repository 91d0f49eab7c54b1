import { describe } from '@jest/globals';
import { crashDrill } from './drills/crash-drill.ts';
import { processUnitsOf } from './drills/process-units.ts';

describe('kill -9 of the manager, local processes', () => {
  crashDrill({
    of: 'first deployments',
    environment: { RUNTIME: 'process' },
    unitsOf: processUnitsOf,
  });
});
