import type { FieldMapping } from '../mapping/field-mapping.ts';

/** Mappings kept for lists that come again. */
export interface ImportTemplate {
  id: string;
  name: string;
  description: string | null;
  mappings: FieldMapping[];
  createdAt: Date;
  updatedAt: Date;
  createdBy: string;
}
