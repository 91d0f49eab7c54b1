export const es = {
  wrongType: (endings: string) => `Este archivo no se puede usar. Elija uno de estos tipos: ${endings}.`,
  several: 'Elija un solo archivo.',
};
