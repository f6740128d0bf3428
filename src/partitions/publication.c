/*-------------------------------------------------------------------------
 *
 * publication.c
 *	  Checks that subscribers can follow rows that move.
 *
 * A row that moves is a DELETE in one partition and an INSERT in another.  A
 * subscriber to the first partition under its own name gets the DELETE, but
 * gets the INSERT for another table, or not at all.  A subscriber to a table
 * above both gets both, unless the publication leaves out one of them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_publication.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

#include "execute.h"
#include "publication.h"
#include "relation.h"

void
iuid_check_publications(Oid partition)
{
	StringInfoData query;
	char *name = iuid_qualified_name(partition);
	int64 publication;

	initStringInfo(&query);
	appendStringInfo(&query,
					 "SELECT pg_catalog.max(p.oid::pg_catalog.int8)"
					 " FROM pg_catalog.pg_publication AS p, pg_catalog.pg_publication_tables AS t, pg_catalog.pg_class AS c, pg_catalog.pg_namespace AS n"
					 " WHERE t.pubname OPERATOR(pg_catalog.=) p.pubname"
					 " AND n.nspname OPERATOR(pg_catalog.=) t.schemaname AND c.relname OPERATOR(pg_catalog.=) t.tablename"
					 " AND c.relnamespace OPERATOR(pg_catalog.=) n.oid"
					 " AND (c.oid OPERATOR(pg_catalog.=) %u AND (p.pubinsert OR p.pubdelete)"
					 " OR p.pubinsert OPERATOR(pg_catalog.<>) p.pubdelete"
					 " AND EXISTS (SELECT FROM pg_catalog.pg_partition_ancestors(%u::pg_catalog.regclass) AS a WHERE a.relid::pg_catalog.oid OPERATOR(pg_catalog.=) c.oid))",
					 partition, partition);
	publication = iuid_query_int64(query.data, InvalidOid);
	if (publication == InvalidOid)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of partition %s cannot move while publication \"%s\" publishes it",
					name, get_publication_name((Oid) publication, false)),
			 errdetail(
				 "A move is a DELETE in one partition and an INSERT in another. Subscribers would apply only one of them, and so lose the rows or have them twice."),
			 errhint(
				 "Publish the partitioned table with publish_via_partition_root, inserts and deletes alike.")));
}
