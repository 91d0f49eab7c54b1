import express, { type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { RouteDefinition } from '../routing/route.ts';

const sizeLimit = '1mb';
const fieldLimit = 50;
/** Time limit for receiving a body: slow senders must not hold connections. */
const deadlineMs = 30_000;

/** The body parser of a route; none if it takes no body, or reads it itself (multipart). */
export function bodyReaders(definition: RouteDefinition): RequestHandler[] {
  if (!definition.body || definition.bodyType === 'multipart') return [];
  const types = definition.bodyType === 'form' ? ['json', 'urlencoded'] : ['json'];
  const checkType: RequestHandler = (request, _response, next) => {
    if (hasBody(request) && !request.is(types)) {
      throw new AppError('unsupported_media_type', `This route takes ${types.join(' or ')}`);
    }
    next();
  };
  const readers = [checkType, withDeadline(express.json({ limit: sizeLimit }))];
  if (types.includes('urlencoded')) {
    readers.push(withDeadline(express.urlencoded({ extended: false, limit: sizeLimit, parameterLimit: fieldLimit })));
  }
  return readers;
}

/** The body for the schema: an empty object if it is missing; of a form, only the fields that the route has. */
export function bodyOf(definition: RouteDefinition, request: Request): unknown {
  const body: unknown = request.body ?? {};
  const { body: schema } = definition;
  if (!(schema instanceof z.ZodObject) || !request.is('urlencoded')) return body;
  return Object.fromEntries(Object.entries(body as object).filter(([name]) => Object.hasOwn(schema.shape, name)));
}

const hasBody = (request: Request): boolean =>
  Number(request.headers['content-length'] ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined;

function withDeadline(read: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => request.destroy(), deadlineMs);
    read(request, response, (error?: unknown) => {
      clearTimeout(timer);
      next(error);
    });
  };
}
