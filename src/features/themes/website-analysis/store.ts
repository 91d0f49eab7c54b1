import { DataTypes, type Model, Op } from 'sequelize';
import { idType, instant, jsonColumn } from '../../../adapters/store/columns.ts';
import { refuseOrphan } from '../../../adapters/store/conflicts.ts';
import type { Store } from '../../../adapters/store/store.ts';
import { notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import {
  isUnfinished,
  type OperationJournal,
  type OperationRecord,
  recordFromJson,
} from '../../../lib/operations/operation.ts';
import { type Analysis, analysisInput, analysisOf, type Suggestion } from './analysis.ts';

/** Analyses and their suggestions in the store; the journal of the work on them is part of their rows. */
export interface AnalysisStore extends OperationJournal {
  find(id: string): Promise<Analysis | undefined>;
  /** The one that was asked for last. */
  latest(tenantId: string): Promise<Analysis | undefined>;
  list(tenantId: string, paging: Paging): Promise<Page<Analysis>>;
  /** Puts an analysis' suggestions in place of earlier ones. @throws AppError not_found where its tenant is gone */
  suggest(analysisId: string, suggestions: readonly Suggestion[]): Promise<void>;
  suggestions(analysisId: string): Promise<Suggestion[]>;
  suggestion(id: string): Promise<Suggestion | undefined>;
  /** Which of these ids are those of analyses. */
  recorded(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Which of these analyses have not ended. */
  open(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Some ended analyses from before that date whose screenshot, if they had one, was not removed yet. */
  withOldScreenshot(before: Date, limit: number): Promise<string[]>;
  screenshotRemoved(ids: readonly string[], at: Date): Promise<void>;
}

interface AnalysisRow {
  id: string;
  tenantId: string;
  websiteUrl: string;
  unfinished: boolean;
  record: OperationRecord;
  cancelRequestedAt: Date | null;
  screenshotRemovedAt: Date | null;
  createdAt: Date;
}

interface SuggestionRow {
  id: string;
  analysisId: string;
  suggestionNumber: number;
  name: string;
  description: string;
  primaryColor: string;
  secondaryColor: string;
  accentColor: string;
  textColor: string;
  palette: Suggestion['palette'];
  reasoning: string;
}

const newestFirst: [string, string][] = [
  ['createdAt', 'DESC'],
  ['id', 'DESC'],
];

export function createAnalysisStore({ sequelize }: Store): AnalysisStore {
  const Analyses = sequelize.define<Model<AnalysisRow, Partial<AnalysisRow>>>(
    'ThemeAnalysis',
    {
      id: { type: idType, primaryKey: true },
      tenantId: idType,
      websiteUrl: DataTypes.TEXT,
      unfinished: DataTypes.BOOLEAN,
      record: jsonColumn('record'),
      cancelRequestedAt: instant,
      screenshotRemovedAt: instant,
      createdAt: instant,
    },
    { tableName: 'theme_analyses' },
  );
  const colour = DataTypes.STRING(7);
  const Suggestions = sequelize.define<Model<SuggestionRow, SuggestionRow>>(
    'ThemeSuggestion',
    {
      id: { type: idType, primaryKey: true },
      analysisId: idType,
      suggestionNumber: DataTypes.INTEGER,
      name: DataTypes.STRING(255),
      description: DataTypes.TEXT,
      primaryColor: colour,
      secondaryColor: colour,
      accentColor: colour,
      textColor: colour,
      palette: { ...jsonColumn('palette'), field: 'palette_json' },
      reasoning: DataTypes.TEXT,
    },
    { tableName: 'theme_suggestions' },
  );
  const idsOf = async (where: Record<string, unknown>): Promise<Set<string>> => {
    const rows = await Analyses.findAll({ where, attributes: ['id'] });
    return new Set(rows.map((row) => row.get('id') as string));
  };

  return {
    async insert(record) {
      const { tenantId, websiteUrl } = analysisInput.parse(record.input);
      const { id, createdAt } = record;
      const row = { id, tenantId, websiteUrl, unfinished: isUnfinished(record), record, createdAt };
      await refuseOrphan(Analyses.create(row), () => notFound('tenant', tenantId));
    },
    async save(record) {
      await Analyses.update({ unfinished: isUnfinished(record), record }, { where: { id: record.id } });
    },
    async requestCancel(id, at) {
      await Analyses.update({ cancelRequestedAt: at }, { where: { id } });
    },
    async unfinished() {
      const rows = await Analyses.findAll({ where: { unfinished: true }, order: [['createdAt', 'ASC']] });
      return rows.map((row) => {
        const { record, cancelRequestedAt } = row.get() as AnalysisRow;
        return { ...recordFromJson(record), cancelRequestedAt };
      });
    },
    async find(id) {
      const row = await Analyses.findByPk(id);
      return row ? toAnalysis(row) : undefined;
    },
    async latest(tenantId) {
      const row = await Analyses.findOne({ where: { tenantId }, order: newestFirst });
      return row ? toAnalysis(row) : undefined;
    },
    async list(tenantId, { limit, offset }) {
      const { rows, count } = await Analyses.findAndCountAll({
        where: { tenantId },
        order: newestFirst,
        limit,
        offset,
      });
      return { items: rows.map(toAnalysis), total: count };
    },
    async suggest(analysisId, suggestions) {
      const rows = suggestions.map(({ number, primary, secondary, accent, text, ...rest }): SuggestionRow => {
        return {
          ...rest,
          suggestionNumber: number,
          primaryColor: primary,
          secondaryColor: secondary,
          accentColor: accent,
          textColor: text,
        };
      });
      await refuseOrphan(
        sequelize.transaction(async (transaction) => {
          await Suggestions.destroy({ where: { analysisId }, transaction });
          await Suggestions.bulkCreate(rows, { transaction });
        }),
        () => notFound('theme analysis', analysisId),
      );
    },
    async suggestions(analysisId) {
      const rows = await Suggestions.findAll({ where: { analysisId }, order: [['suggestionNumber', 'ASC']] });
      return rows.map(toSuggestion);
    },
    async suggestion(id) {
      const row = await Suggestions.findByPk(id);
      return row ? toSuggestion(row) : undefined;
    },
    recorded: (ids) => idsOf({ id: [...ids] }),
    open: (ids) => idsOf({ id: [...ids], unfinished: true }),
    async withOldScreenshot(before, limit) {
      const where = { screenshotRemovedAt: null, unfinished: false, createdAt: { [Op.lt]: before } };
      const rows = await Analyses.findAll({ where, attributes: ['id'], order: [['createdAt', 'ASC']], limit });
      return rows.map((row) => row.get('id') as string);
    },
    async screenshotRemoved(ids, at) {
      await Analyses.update({ screenshotRemovedAt: at }, { where: { id: [...ids] } });
    },
  };
}

function toAnalysis(row: Model<AnalysisRow, Partial<AnalysisRow>>): Analysis {
  const { record, screenshotRemovedAt } = row.get() as AnalysisRow;
  return analysisOf(record, screenshotRemovedAt);
}

function toSuggestion(row: Model<SuggestionRow, SuggestionRow>): Suggestion {
  const { suggestionNumber, primaryColor, secondaryColor, accentColor, textColor, ...rest } =
    row.get() as SuggestionRow;
  return {
    ...rest,
    number: suggestionNumber,
    primary: primaryColor,
    secondary: secondaryColor,
    accent: accentColor,
    text: textColor,
  };
}
