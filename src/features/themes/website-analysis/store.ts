import { Op, type WhereOptions } from 'sequelize';
import { refuseOrphan } from '../../../adapters/store/conflicts.ts';
import type { Store } from '../../../adapters/store/store.ts';
import {
  defineTable,
  flag,
  id,
  instant,
  integer,
  json,
  key,
  newestFirst,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
} from '../../../adapters/store/table.ts';
import { notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import {
  isUnfinished,
  type OperationJournal,
  type OperationRecord,
  recordFromJson,
} from '../../../lib/operations/operation.ts';
import { type Analysis, analysisInput, analysisOf } from './analysis.ts';
import type { PaletteScale } from './suggestions/palette-scale.ts';

const analysisColumns = {
  id: key(id),
  tenantId: ownedBy('tenants'),
  websiteUrl: text(),
  unfinished: flag,
  record: json<OperationRecord>(),
  cancelRequestedAt: orNull(instant),
  screenshotRemovedAt: orNull(instant),
  createdAt: instant,
};
export const themeAnalysesTable = defineTable('theme_analyses', analysisColumns, {
  indexes: [
    ['tenantId', 'createdAt'],
    ['unfinished', 'createdAt'],
    ['screenshotRemovedAt', 'createdAt'],
  ],
});
type AnalysisRow = RowOf<typeof analysisColumns>;

const colour = text(7);
/** Named as the API names them. */
const suggestionColumns = {
  id: key(id),
  analysisId: ownedBy('theme_analyses'),
  /** From 1, in order. */
  suggestion_number: integer,
  name: text(255),
  description: text(),
  primary_color: colour,
  secondary_color: colour,
  accent_color: colour,
  text_color: colour,
  palette_json: json<PaletteScale>(),
  reasoning: text(),
};
export const themeSuggestionsTable = defineTable('theme_suggestions', suggestionColumns, {
  unique: [['analysisId', 'suggestion_number']],
});
/** A theme that can be applied. Colours are `#RRGGBB` in upper case. */
export type Suggestion = RowOf<typeof suggestionColumns>;

/** Analyses and their suggestions in the store; the journal of the work on them is part of their rows. */
export function createAnalysisStore(store: Store) {
  const analyses = tableIn(store, themeAnalysesTable);
  const suggestions = tableIn(store, themeSuggestionsTable);
  const idsOf = async (where: WhereOptions<AnalysisRow>): Promise<Set<string>> =>
    new Set((await analyses.all({ where, only: ['id'] })).map(({ id }) => id));

  return {
    async insert(record) {
      const { tenantId, websiteUrl } = analysisInput.parse(record.input);
      const { id, createdAt } = record;
      const row = { id, tenantId, websiteUrl, unfinished: isUnfinished(record), record, createdAt };
      await refuseOrphan(analyses.insert(row), () => notFound('tenant', tenantId));
    },
    async save(record) {
      await analyses.update({ unfinished: isUnfinished(record), record }, { id: record.id });
    },
    async requestCancel(id, at) {
      await analyses.update({ cancelRequestedAt: at }, { id });
    },
    async unfinished() {
      const rows = await analyses.all({ where: { unfinished: true }, order: [['createdAt', 'ASC']] });
      return rows.map(({ record, cancelRequestedAt }) => ({ ...recordFromJson(record), cancelRequestedAt }));
    },
    async find(id: string): Promise<Analysis | undefined> {
      const row = await analyses.find({ id });
      return row && toAnalysis(row);
    },
    /** The one that was asked for last. */
    async latest(tenantId: string): Promise<Analysis | undefined> {
      const [row] = await analyses.all({ where: { tenantId }, order: newestFirst, limit: 1 });
      return row && toAnalysis(row);
    },
    async list(tenantId: string, paging: Paging): Promise<Page<Analysis>> {
      const { items, total } = await analyses.page({ tenantId }, paging);
      return { items: items.map(toAnalysis), total };
    },
    /** Puts an analysis' suggestions in place of earlier ones. @throws AppError not_found where its tenant is gone */
    async suggest(analysisId: string, rows: readonly Suggestion[]): Promise<void> {
      await refuseOrphan(
        store.sequelize.transaction(async (transaction) => {
          await suggestions.remove({ analysisId }, { transaction });
          await suggestions.insertAll(rows, transaction);
        }),
        () => notFound('theme analysis', analysisId),
      );
    },
    suggestions: (analysisId: string): Promise<Suggestion[]> =>
      suggestions.all({ where: { analysisId }, order: [['suggestion_number', 'ASC']] }),
    suggestion: (id: string): Promise<Suggestion | undefined> => suggestions.find({ id }),
    /** Which of these ids are those of analyses. */
    recorded: (ids: readonly string[]): Promise<ReadonlySet<string>> => idsOf({ id: [...ids] }),
    /** Which of these analyses have not ended. */
    open: (ids: readonly string[]): Promise<ReadonlySet<string>> => idsOf({ id: [...ids], unfinished: true }),
    /** Some ended analyses from before that date whose pictures, if they had any, were not removed yet. */
    async withOldPictures(before: Date, limit: number): Promise<string[]> {
      const where = { screenshotRemovedAt: null, unfinished: false, createdAt: { [Op.lt]: before } };
      const rows = await analyses.all({ where, only: ['id'], order: [['createdAt', 'ASC']], limit });
      return rows.map(({ id }) => id);
    },
    async picturesRemoved(ids: readonly string[], at: Date): Promise<void> {
      await analyses.update({ screenshotRemovedAt: at }, { id: [...ids] });
    },
  } satisfies OperationJournal & Record<string, unknown>;
}
export type AnalysisStore = ReturnType<typeof createAnalysisStore>;

const toAnalysis = ({ record, screenshotRemovedAt }: AnalysisRow): Analysis => analysisOf(record, screenshotRemovedAt);
