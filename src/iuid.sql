-- iuid: identifiers that carry their time, country and entity.
--
-- This part opens the script of the extension; the Makefile says which parts
-- follow.  Every name has its schema, and every argument its exact type, so that
-- the server finds no other object, whatever the search_path is.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION iuid" to load this file. \quit
