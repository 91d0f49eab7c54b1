/** As much of JSON Schema as the API's description uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
}

export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

/**
 * The API as TypeScript, in the form that openapi-fetch reads. (openapi-typescript would need TypeScript 5 in addition to
 * the project's 7.)
 */
export function typesOf({ paths, components }: Description): string {
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) => `    ${key(name)}: ${typeOf(schema)};`,
  );
  const operations = Object.entries(paths).map(([path, methods]) => {
    const rows = Object.entries(methods).map(([method, operation]) => `    ${method}: ${operationType(operation)};`);
    return `  ${key(path)}: {\n${rows.join('\n')}\n  };`;
  });
  return [
    '// Made by `npm run api-types` from the API’s own description; not to be edited.',
    `export interface paths {\n${operations.join('\n')}\n}\n`,
    `export interface components {\n  schemas: {\n${schemas.join('\n')}\n  };\n}\n`,
  ].join('\n');
}

/** The messages of each live stream as TypeScript, by JSON Schema. */
export function streamTypesOf(streams: Record<string, Schema[]>): string {
  const rows = Object.entries(streams).map(([stream, messages]) => `  ${stream}: ${messages.map(typeOf).join(' | ')};`);
  return `/** The messages of the live streams. */\nexport interface streams {\n${rows.join('\n')}\n}\n`;
}

function operationType({ parameters = [], requestBody, responses }: Operation): string {
  const places = ['path', 'query'].map((place) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    if (own.length === 0) return `${place}?: never`;
    const optional = own.every(({ required }) => !required);
    const fields = own.map(({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${typeOf(schema)}`);
    return `${place}${optional ? '?' : ''}: { ${fields.join('; ')} }`;
  });
  const body = requestBody
    ? `requestBody${requestBody.required ? '' : '?'}: { content: ${contentType(requestBody)} }`
    : 'requestBody?: never';
  const answers = Object.entries(responses).map(
    ([status, answer]) => `${status}: { headers: Record<string, unknown>; content: ${contentType(answer)} }`,
  );
  return `{ parameters: { ${places.join('; ')} }; ${body}; responses: { ${answers.join('; ')} } }`;
}

function contentType({ content = {} }: Content): string {
  const types = Object.entries(content).map(([type, { schema }]) => `${key(type)}: ${typeOf(schema)}`);
  return `{ ${types.join('; ')} }`;
}

function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'unknown';
  if (schema.$ref) return `components['schemas'][${JSON.stringify(schema.$ref.split('/').at(-1))}]`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return either.map((one) => `(${typeOf(one)})`).join(' | ');
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => `(${typeOf({ ...schema, type })})`).join(' | ');
  return typeNamed(schema);
}

function typeNamed(schema: Schema): string {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `(${typeOf(schema.items)})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties) {
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
  }
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  return `{ ${fields.join('; ')} }`;
}

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
