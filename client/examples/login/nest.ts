import {
  Controller,
  Get,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  Req,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import session from 'express-session';
import type { EidClient } from '@tamga/client';
import {
  expressLogin,
  loggedInUser,
  type LoginUser,
  nestGuard,
  type RequestWithSession,
} from '@tamga/client/login';
import { interactions } from './interactions.ts';

/** A shop by NestJS: the login below `/login`, and a page for citizens. */
export async function createApp(
  client: EidClient,
  secret: string,
  origin: string,
): Promise<INestApplication> {
  @Controller('me')
  class CustomerController {
    @Get()
    @UseGuards(nestGuard(() => new UnauthorizedException()))
    read(@Req() request: RequestWithSession): LoginUser | null {
      return loggedInUser(request);
    }
  }

  @Module({ controllers: [CustomerController] })
  class ShopModule {
    configure(consumer: MiddlewareConsumer): void {
      const login = expressLogin({ client, interactions, origin, home: '/me' });
      consumer.apply(login).forRoutes('login/*action', 'auth/eid/callback');
    }
  }

  const app = await NestFactory.create(ShopModule);
  app.use(
    session({ secret, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }),
  );
  return app;
}
